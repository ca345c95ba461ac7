import type { ErrorInfo } from '../errors.ts';
import type { SessionOptions, TranscriptionOptions } from '../options/dictation-options.ts';
import type { ReviewReason } from '../queue/queue-item.ts';
import type { Keeping, Transcript } from '../recordings/recording.ts';
import type { MicrophoneDevice, Notice, NoticeKind, SessionState } from '../session/snapshot.ts';
import type { SnapshotPatch } from '../session/snapshot-reducer.ts';
import type { EngineChoice } from '../speech/speech-engine.ts';
import type { GivenTextRules } from '../text/text-rules.ts';
import type { WorkerAssets } from './asset-addresses.ts';
import type { AudioFile, DeliveryVerdict, DictationResult } from './dictation.ts';

/** Where the worker finds things, and what to load: it starts with this as its name, in JSON. */
export type WorkerSetup = EngineChoice & {
  /** Where its own files are. */
  readonly assets: WorkerAssets;
  /** Absolute address of the transcription endpoint. */
  readonly transcriptionUrl: string;
  /** The page gives heads for requests (`signRequests`): nothing is sent before. @default false */
  readonly isSigned?: boolean;
  /** @default the browser's own */
  readonly credentials?: 'omit' | 'same-origin' | 'include' | undefined;
  /** The account that is signed in; absent where the page does not know. */
  readonly account?: string | null | undefined;
  /** Limits, in time and bytes, for recordings. */
  readonly keeping: Keeping;
  /** Own words, snippets and rules for texts. @default the usual rules */
  readonly textRules?: GivenTextRules;
};

/** Events that the page sees and the worker cannot. */
export type PageEvent =
  | { readonly kind: 'online' }
  | { readonly kind: 'visible' }
  | { readonly kind: 'hidden' }
  /** Another microphone took over in the running dictation. */
  | { readonly kind: 'microphone-switched'; readonly device: MicrophoneDevice }
  | ({ readonly kind: 'notice'; readonly notice: NoticeKind } & Omit<Notice, 'kind'>)
  | { readonly kind: 'notice-dismissed'; readonly notice: NoticeKind };

/**
 * The chunks that a text was made of, by number, and why theirs may not be all: `markDelivered` and
 * `close` name them again.
 */
export type TextChunks = ReadonlyMap<number, ReviewReason | null>;

/** The end of a dictation; `texts` are those of its chunks, by number. */
export type DictationText = DictationResult & {
  readonly chunks: TextChunks;
  readonly texts: ReadonlyMap<number, string>;
};

/** The text there is of a waiting dictation, in order; `texts` are those of its chunks. */
export type ClaimedText = Pick<DictationText, 'text' | 'chunks' | 'texts'>;

/** A running dictation whose worker died, as the page hands it to the next one. */
export type DictationTakeover = {
  readonly dictationId: string;
  readonly options: SessionOptions;
  /**
   * The session as the page saw it last: it stands until journal and worklet have told the truth.
   */
  readonly session: SessionState;
  readonly notices: readonly Notice[];
  /**
   * Live pieces that stand in the page already: the dead one may not have stored that. They are in
   * no text that is given from now on.
   */
  readonly delivered: TextChunks;
};

/** Chunks that are in the user's hands; see `DictationWorkerApi.markDelivered`. */
export type DeliveredChunks = {
  readonly verdict: Exclude<DeliveryVerdict, false>;
  readonly chunks: TextChunks;
};

/**
 * The dictation worker as the page sees it, through Comlink. `Port` is the realm's MessagePort.
 * Calls for a dictation that is not the running one do nothing (and `finish` gives an empty
 * result), so that a late or doubled call is harmless.
 */
export type DictationWorkerApi<Port> = {
  /** Holds a Web Lock of this name as long as the worker lives; answers when it has it. */
  holdLifeLock(name: string): Promise<void>;
  /**
   * Calls `listener` with the whole present snapshot, then with what changes; at most 20 times a
   * second, a change of phase at once, what only a meter would show once a second.
   */
  subscribe(listener: (patch: SnapshotPatch) => void): Promise<void>;
  /**
   * Tells every frame's `LevelReading` through the port, or draws it once a `MeterOrder` brings a
   * canvas, until the port says `end`.
   */
  tellLevels(port: Port, framesPerReading: number): Promise<void>;
  /**
   * Begins a dictation in phase `starting`; one that runs already goes on. Another one is let go
   * of: a page has one at a time, and may have given one up that came here late. Answers null, or
   * why it can't be. (A value, since Comlink takes an error's class and code away.)
   */
  begin(dictationId: string, options: SessionOptions): Promise<ErrorInfo | null>;
  /** Takes the frames' port; call it before the worklet runs. */
  connect(dictationId: string, framePort: Port): Promise<void>;
  /**
   * Takes the port of another worklet, which goes on with the dictation since the one before is
   * stuck, and asks it for what follows the last sample that came.
   */
  reconnect(dictationId: string, framePort: Port): Promise<void>;
  /**
   * Goes on with a dictation whose worker died, in place of `begin` and `connect`: what the journal
   * holds is cut again, and the worklet is asked for what it does not. Waits until the dead worker
   * has let go of the dictation's lock. A dictation that is here already takes the new port.
   * Answers null, or why it can't be: `wrong-phase`, `storage-failed`.
   */
  takeOver(takeover: DictationTakeover, framePort: Port): Promise<ErrorInfo | null>;
  /**
   * The microphone is open: the audio format is found, then comes phase `recording`. Answers null,
   * or why there can be no recording: `audio-type-missing`.
   */
  opened(dictationId: string, device: MicrophoneDevice): Promise<ErrorInfo | null>;
  /** A start has failed: back to `idle` if it had begun here, with a notice. */
  abandon(dictationId: string, error: ErrorInfo): Promise<void>;
  /** Phase `finishing`; answers when nobody is speaking, after 5,000 ms at most. */
  finishSpeech(dictationId: string): Promise<void>;
  /**
   * The microphone is closed: phase `transcribing`. Answers when all frames up to the end mark are
   * here, or none has come for 1,000 ms. True if they are in the journal: the worklet need not keep
   * them any more.
   */
  endRecording(dictationId: string): Promise<boolean>;
  /** After `endRecording`: uploads what remains, waits for all answers, phase `stopped`. */
  finish(dictationId: string): Promise<DictationText>;
  /**
   * Marks these chunks, and no others, as in the user's hands. With verdict true their data is
   * deleted, except where they need review; with `altered` all of them need it, as does each that
   * says `altered` itself. The dictation may be running here, on its way here, closed, waiting,
   * claimed, or a dead worker's, and the call may be repeated. Nothing else is done to it; but
   * where no page has it open and this worker has not given its text, its journal is brought into
   * the queue first, so that these chunks are not cut again.
   */
  markDelivered(
    dictationId: string,
    verdict: DeliveredChunks['verdict'],
    chunks: TextChunks,
  ): Promise<void>;
  /**
   * Ends this page's work on a dictation: phase `idle` if it was the running one, its claim ended
   * if it was claimed. `delivered` is as with `markDelivered`. In the same transaction the store
   * drops all it has of a dictation that is over with it: a power cut leaves all of it or nothing.
   * Undelivered text waits, and is offered. The call may be repeated, to another worker too, and
   * with chunks that were not delivered before.
   */
  close(dictationId: string, delivered: DeliveredChunks | null): Promise<void>;
  /**
   * Chunks of a dictation whose text did not go in have these texts from now on, by number: its page
   * has put words back into it that are in no waiting chunk. Those that wait no more stay as they
   * are.
   */
  offer(dictationId: string, texts: ReadonlyMap<number, string>): Promise<void>;
  /** `finish` answers at once: chunks that are not text yet leave the dictation. */
  stopWaiting(dictationId: string): Promise<void>;
  /**
   * Makes text of the journal of a dictation whose worker died; `close` must follow. `delivered`
   * are live pieces that stand in the page already: they are not in it.
   */
  recover(dictationId: string, delivered: TextChunks): Promise<DictationText>;
  /** Signs requests with what `ask` gives, from now on, and tries again what waits. */
  signRequests(ask: () => Promise<Readonly<Record<string, string>>>): Promise<void>;
  /** Answers: the worker lives. */
  ping(): Promise<void>;
  report(event: PageEvent): Promise<void>;
  /**
   * Tries a pending or refused chunk now, or has one to review written down anew; null tries all
   * that wait.
   */
  retry(itemId: string | null): Promise<void>;
  /** Deletes a chunk for good: the user said so. */
  discard(itemId: string): Promise<void>;
  /**
   * Takes what text there is of a waiting dictation, in order, for this tab alone; null if there is
   * none, another tab has taken it or records it, or (`isWhole`) more of it is still to come.
   * `close` must follow.
   */
  claim(dictationId: string, isWhole: boolean): Promise<ClaimedText | null>;
  /**
   * Notes that the person has thrown a dictation away, or has it back: if its page goes before that
   * cannot be undone any more, it goes into the bin all the same.
   */
  cancelled(dictationId: string, isCancelled: boolean): Promise<void>;
  /** Tries again to bring a kept recording into the queue. */
  retryKept(dictationId: string): Promise<void>;
  /** Deletes a kept recording for good: the user said so. Its chunks in the queue stay. */
  discardKept(dictationId: string): Promise<void>;
  /**
   * The audio of a dictation's waiting chunks and of what is kept of it, one after the other; null
   * if none is there.
   */
  audio(dictationId: string): Promise<AudioFile | null>;
  /**
   * Deletes all stored audio and text, but what a running recording still needs, and what was open
   * when it was asked for, or has begun since `askedAtMs`, in ms since 1970.
   */
  wipe(openIds: readonly string[], askedAtMs: number): Promise<void>;
  /** The calls of `Dictation.recordings`; null is all of them. */
  transcripts(recordingId: string): Promise<readonly Transcript[]>;
  recordingAudio(recordingId: string): Promise<AudioFile | null>;
  transcribeAgain(recordingId: string, options: Partial<TranscriptionOptions>): Promise<boolean>;
  deleteRecording(recordingId: string): Promise<void>;
  /** All but those of dictations that were open when it was asked for, or have begun since. */
  deleteRecordings(openIds: readonly string[], askedAtMs: number): Promise<void>;
  undoDelete(recordingId: string | null): Promise<void>;
  /** The page goes: what was deleted on it cannot be had back any more. */
  emptyBin(): Promise<void>;
  applyRules(recordingId: string): Promise<boolean>;
  keep(keeping: Keeping): Promise<void>;
};
