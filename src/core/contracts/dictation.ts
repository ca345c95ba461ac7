import type { AudioType } from '../audio/audio-types.ts';
import type { LevelPort } from '../audio/level-meter.ts';
import type { ErrorCode } from '../errors.ts';
import type { GivenSessionOptions, TranscriptionOptions } from '../options/dictation-options.ts';
import type { Keeping, StorageFacts, Transcript } from '../recordings/recording.ts';
import type { NoticeKind, Snapshot } from '../session/snapshot.ts';
import type { SpeechEngineKind } from '../speech/speech-engine.ts';
import type { GivenTextRules } from '../text/text-rules.ts';

/**
 * The fate of a delivered text: true if it is in the user's hands, `altered` if the
 * page cut or changed it on its way there (its audio stays and is offered), false if it is to be
 * offered again.
 */
export type DeliveryVerdict = boolean | 'altered';

declare global {
  /** Core has no DOM: this much of the realm's own type, which it becomes one with elsewhere. */
  interface AbortSignal {
    readonly aborted: boolean;
  }
  interface MediaStream {
    readonly active: boolean;
  }
}

/** Heads of requests, by name; or what gives them, asked when the first is sent and after a 401. */
export type RequestHeaders =
  | Readonly<Record<string, string>>
  | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);

/** Addresses, sign-in, speech detection and retention; all may be left out. */
export type DictationSetup = Partial<Keeping> &
  GivenTextRules & {
    /** The transcription endpoint. @default '/api/asr/vad' */
    readonly transcriptionUrl?: string;
    /**
     * Heads that go with each request to the server: a token, or what guards against forged requests
     * (CSRF). They are kept in memory alone. When others are given what waits is tried again.
     * @default none
     */
    readonly headers?: RequestHeaders;
    /**
     * The cookies that go with each request, as `fetch` has it; another origin's go with `include`
     * alone, which it must allow. @default 'same-origin'
     */
    readonly credentials?: 'omit' | 'same-origin' | 'include';
    /**
     * The account signed in at your server; null for none. Dictations of other accounts are not shown,
     * sent or deleted. @default the one that the server's health names, else none
     */
    readonly account?: string | null;
    /**
     * The folder that holds the files of `diktera/assets/*`, for pages whose bundler does not bring
     * them along. Another origin's will do, if it allows it (CORS).
     * @default beside the script, wherever that is
     */
    readonly assetBaseUrl?: string;
    /**
     * The folder that holds the files of onnxruntime-web's `dist`, the engine beside the kernel.
     * Needed for `engine: 'ort'` alone; where it is known it also takes over from a kernel that
     * fails. A bundler does not bring along the model that it reads: name `assetBaseUrl` too.
     * @default none
     */
    readonly ortBaseUrl?: string;
    /** Engine that detects speech; `auto` takes the best there is. @default 'auto' */
    readonly engine?: SpeechEngineKind | 'auto';
  };

/** The end of a dictation. */
export type DictationResult = {
  /**
   * The transcripts in numeric order, joined with newlines (with `live`, by spaces), empty ones
   * left out, and what went through `deliverPiece`.
   */
  readonly text: string;
  /** Chunks whose text is not in it: they wait in the queue. */
  readonly failedChunks: number;
  /**
   * Chunks whose text, empty perhaps, is in it and may not be all: their audio stays and is
   * offered.
   */
  readonly chunksToReview: number;
};

/** A dictation's audio as a file to play or keep. */
export type AudioFile = { readonly type: AudioType; readonly bytes: ArrayBuffer };

/**
 * The answer of `start`. `already-recording`: this page records already, and it goes on. Every other
 * reason is the code of the error that kept the recording from beginning: `microphone-denied`,
 * `language-missing`, `disposed` and so on.
 */
export type StartResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: ErrorCode | 'already-recording' };

/** Options of a stop. */
export type StopOptions = {
  /**
   * `text`: answered within 20 s; what is not text by then comes late to its place. `all`: answered
   * when all of it is in its place, be it hours, or when no more can come. Where the start had no
   * `deliver` there is no such place, and `all` is as `text`.
   *
   * @default 'text'
   */
  readonly wait?: 'text' | 'all';
};

/** Options of one recording, and who gets its text. */
export type StartOptions = GivenSessionOptions & {
  /** The dictation's id, where the caller needs it before: unique for ever. @default a new one */
  readonly id?: string;
  /**
   * Records the sound of this stream in place of a microphone's. Its tracks are cloned: they go on
   * after the recording, and are the caller's to stop. No microphone takes its place when it ends:
   * the recording ends then, with what was said. @default a microphone, by `deviceId`
   */
  readonly stream?: MediaStream;
  /** The microphone to use; null or left out takes a dictation microphone, else the system's. */
  readonly deviceId?: string | null;
  /** Record the sound of a tab too, which the user picks in the browser's dialog. @default false */
  readonly tabSound?: boolean;
  /**
   * Gets the whole text, once: when the dictation ends, however it ends, or, if chunks are missing
   * then, when the last of them has come. If the text was taken otherwise or thrown away meanwhile,
   * it is empty. The answer says what became of the text: only text in the user's hands is
   * forgotten here. Without `deliver` the text counts as delivered by the promise of `stop`. An
   * answer that takes over 30 s counts as false until it comes: meanwhile the text is offered like
   * any other that waits. `withdrawn` is aborted a second before that: a text that is not inserted
   * by then must not be inserted any more, or it could be there twice.
   */
  readonly deliver?: (
    result: DictationResult,
    withdrawn: AbortSignal,
  ) => DeliveryVerdict | Promise<DeliveryVerdict>;
  /**
   * With `live` and `insert: 'at-pause'`: gets the text of a live piece as soon as it is final and
   * all pieces before it are delivered. There is one call at a time: pieces that come meanwhile are
   * joined by spaces in the next one. Text that is then in the user's hands is left out of the
   * texts that `deliver` and `stop` give: they have the rest, empty perhaps. After false the text
   * comes again with the next piece, and at the end with the rest. `withdrawn` is as with
   * `deliver`, and is also aborted when the recording ends: a text that is not inserted a second
   * later is part of the rest, so it must not be inserted any more. With a `takeBack` there is no
   * text: this many of the last delivered pieces are to be removed again, since the user has said
   * so ("stryk det"); true when that is done.
   */
  readonly deliverPiece?: (
    text: string,
    withdrawn: AbortSignal,
    takeBack: number,
  ) => DeliveryVerdict | Promise<DeliveryVerdict>;
};

/**
 * Commands for the recordings that `Snapshot.recordings` lists. An id that is not there
 * (any more) is answered with nothing, and does nothing.
 */
export type RecordingCommands = {
  /** All texts of a recording, the newest last. */
  transcripts(id: string): Promise<readonly Transcript[]>;
  /** All of its sound as one file with its duration, to play, seek in and keep; null if none. */
  audio(id: string): Promise<AudioFile | null>;
  /**
   * Has all of a recording written down again, what was found silent too, with its own options but
   * for those given. The text becomes one of its transcripts, goes nowhere by itself, and outlives
   * crashes on its way. Fulfilled when that is stored: false, with a line in the log, if it can't
   * be: still being recorded, in the bin, no sound. Asked for again, the earlier request is over.
   */
  transcribeAgain(id: string, options?: Partial<TranscriptionOptions>): Promise<boolean>;
  /**
   * Adds the newest text of a recording as the rules for texts make it now of what was heard, if
   * that is another. False if there is no text.
   */
  applyRules(id: string): Promise<boolean>;
  /**
   * Puts a recording into the bin, with what waits of it in the queue. Nothing happens to one that
   * is being recorded, in any tab. The bin is this page's own: what lies there is shown on no
   * other, and goes for good after half a minute, or with the page.
   */
  delete(id: string): Promise<void>;
  /**
   * Puts all into the bin, but for what is being recorded, and what has a place for its late text
   * in another page. Rejects where storage refuses.
   */
  deleteAll(): Promise<void>;
  /**
   * Takes a recording, or (null) all there are, out of the bin again. One that was not delivered is
   * written down again: what waited of it is gone.
   */
  undoDelete(id: string | null): Promise<void>;
  /** Sets the limits from now on; throws `bad-option`. */
  keep(keeping: Partial<Keeping>): void;
  /** Facts on the browser's storage for this site. */
  storage(): Promise<StorageFacts>;
};

/** Voice dictation without an interface. One recording at a time; every call may be repeated. */
export type Dictation = {
  /**
   * Loads what recording will need, without asking for anything: call it when it becomes likely.
   */
  prepare(): void;
  /**
   * Opens the microphone and records. Never rejects: `ok: false` with the reason, and a log line and
   * a notice beside, if that can't be: no microphone, something is being recorded already, the page
   * is not served over https, disposed of. While the recording before is still being ended, the new
   * one goes first: nobody waits for the end of speech there any more, what is not text yet comes
   * late to its own place, and a delivery that is under way goes on beside.
   */
  start(options?: StartOptions): Promise<StartResult>;
  /** Ends the running segment and holds; the microphone stays open. */
  pause(): void;
  resume(): void;
  /**
   * Waits for the end of speech (5 s at most), closes the microphone, waits for all answers (20 s
   * at most in all), delivers. Null if nothing was being recorded, or it was cancelled.
   */
  stop(options?: StopOptions): Promise<DictationResult | null>;
  /**
   * Ends what is being recorded, and throws it away: the session is shown as over at once, and
   * nothing of it goes in. For 10 s (`Snapshot.cancelled`), or until the next recording has begun,
   * `undoCancel` has its text delivered all the same; then it goes to the bin of the recordings, or
   * for good where none are retained. It does so too if the page is gone by then. Nothing happens
   * where nothing is being recorded.
   */
  cancel(): void;
  /** Has the text of the dictation that was cancelled last delivered as if it had been stopped. */
  undoCancel(): void;
  /** Ends the waiting of `stop`: what is not text yet is delivered when it has come. */
  stopWaiting(): void;
  getSnapshot(): Snapshot;
  /** Calls `listener` after every change; the answer ends that. */
  subscribe(listener: () => void): () => void;
  /**
   * A port that tells levels from now on, a meter's: that of every frame, or with
   * `framesPerReading` the first one's, then the loudest of so many, heard as speech if any of them
   * is. A frame is 96 ms.
   * The snapshot has the level too, about once a second. Handed on to a worker, or given a canvas
   * (`MeterOrder`), it costs the main thread nothing. @default every frame's
   */
  levels(framesPerReading?: number): LevelPort;
  /**
   * Tries a pending or refused chunk now, or has one to review written down anew; null tries all
   * that wait.
   */
  retry(itemId: string | null): void;
  /**
   * Deletes a chunk: the user has said so. When nothing more of its dictation is in the queue, its
   * recording goes into the bin.
   */
  discard(itemId: string): void;
  /**
   * Tries again to bring a kept recording (`Snapshot.kept`) into the queue; fulfilled when it was
   * tried.
   */
  retryKept(dictationId: string): Promise<void>;
  /** Deletes a kept recording: the user has said so. */
  discardKept(dictationId: string): void;
  /**
   * Gives the text of a waiting dictation, as far as it is there, to `insert`, whose verdict says
   * what becomes of it. False too if no text was to be had: another tab may have taken it.
   * `withdrawn` is as with `deliver`.
   */
  takeText(
    dictationId: string,
    insert: (text: string, withdrawn: AbortSignal) => Promise<DeliveryVerdict>,
  ): Promise<DeliveryVerdict>;
  /**
   * Has other tabs that delete everything spare a waiting dictation: its place is on this page, and
   * `takeText` will bring its text there. Fulfilled, when they can see it, with the end of that.
   */
  holdPlace(dictationId: string): Promise<() => void>;
  /** The audio of a waiting dictation as one file; null if there is none. */
  audio(dictationId: string): Promise<AudioFile | null>;
  /**
   * Deletes all stored audio and text, but for a recording under way; the recordings go into the
   * bin.
   */
  wipe(): Promise<void>;
  /** The recordings that are kept. */
  readonly recordings: RecordingCommands;
  dismissNotice(kind: NoticeKind): void;
  /**
   * Changes the given options of the setup from now on. False, with an error in the log, during a
   * recording and while its text is on its way, for a wrong value, and after `dispose`. Other
   * `headers` count at once, whatever is going on.
   */
  setOptions(setup: DictationSetup): boolean;
  /**
   * Ends everything; a running recording is kept in the journal, and one that is being opened is
   * given up (`start` gives `ok: false`). Pending calls end: `stop` with an empty result, others
   * with `disposed`.
   */
  dispose(): void;
};
