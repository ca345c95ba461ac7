import type { SampleRange } from '../audio/audio-format.ts';
import type { MicrophoneProblem } from '../audio/microphone-diagnostics.ts';
import type { ErrorInfo } from '../errors.ts';
import type { QueueItemHead, ReviewReason } from '../queue/queue-item.ts';
import { NO_RECORDINGS, type RecordingsState } from '../recordings/recording.ts';
import type { SpeechEngineKind } from '../speech/speech-engine.ts';
import type { WrittenSnippet } from '../written-snippet.ts';

/**
 * A fact that a person must be told. The words are the interface's; this is only the fact. A notice
 * goes when its cause is gone.
 */
export type NoticeKind =
  | 'microphone-missing'
  | 'microphone-denied'
  /** The page that shows this one in a frame must allow it. */
  | 'microphone-framed'
  | 'microphone-busy'
  | 'microphone-failed'
  /** The page is not served over https: browsers give it no microphone. */
  | 'insecure-page'
  /** The browser has no WebAssembly, as in Lockdown Mode: nothing can be recorded. */
  | 'webassembly-missing'
  /** The microphone went away while recording; what was captured is being uploaded. */
  | 'microphone-lost'
  /** The microphone went away and another is being looked for: nothing is heard meanwhile. */
  | 'microphone-away'
  /** Another microphone took over; what was said in between may be missing. */
  | 'microphone-switched'
  /** The system or the headset has muted it: silence comes. */
  | 'microphone-muted'
  /** Sound of a tab was asked for, and no tab was shared, or none with sound. */
  | 'tab-sound-refused'
  /** The tab is no longer shared; the recording goes on with the microphone. */
  | 'tab-sound-ended'
  /** No audio comes, though microphone and browser seem well: nothing is heard. */
  | 'capture-stalled'
  /** Audio comes again; for `durationMs` nothing was heard. */
  | 'capture-gap'
  /** The computer slept for `durationMs` while recording, which went on afterwards. */
  | 'capture-slept'
  | 'audio-context-closed'
  | 'audio-graph-failed'
  | 'audio-type-missing'
  /** No speech detection: all audio is kept and sent. */
  | 'engine-failed'
  /** Detection is so far behind that audio is kept without inference; until it has caught up. */
  | 'lagging'
  /** Chunks could not be sent; they wait in the queue. */
  | 'upload-failed'
  /** The server says we may not: 401 or 403. */
  | 'uploads-unauthorised'
  /** The server refuses a chunk for good; the user decides. */
  | 'chunk-refused'
  /** A text may not be all that was said: its audio is kept and offered. */
  | 'text-needs-review'
  /** A recording could not be encoded: its audio is kept and offered. */
  | 'recording-kept'
  /** Part of a recording's journal could not be read: those words are lost. */
  | 'audio-damaged'
  | 'storage-failed'
  /** The disk is nearly full: there is room for minutes, not hours. */
  | 'storage-low'
  /** The disk is full: recording stopped, and what was captured is being uploaded. */
  | 'storage-full'
  | 'worker-crashed'
  /** The microphone is open, and no worker hears it yet. */
  | 'start-delayed'
  /** Something is being recorded already: the press for another recording was refused. */
  | 'already-recording'
  /** The dictation was disposed of: nothing can be recorded any more. */
  | 'disposed'
  /** A text did not go into the page: it waits to be inserted. */
  | 'text-not-inserted'
  /**
   * Something waits in storage that the browser may clear: a private window's, or one it does not
   * promise to keep.
   */
  | 'storage-not-kept'
  /** A worker was replaced too late: part of what was said is in nobody's memory any more. */
  | 'speech-lost'
  /** `maxAudioDurationMs` was reached and recording stopped by itself. */
  | 'max-duration-reached';

export type Notice = {
  readonly kind: NoticeKind;
  /** The failure behind it, for developers and diagnostics; null if there is none. */
  readonly error: ErrorInfo | null;
  /** For how long, where the kind says so. */
  readonly durationMs?: number;
};

/**
 * Speech that is safe in the journal and cannot be brought into the queue: no encoder would take
 * it. The person is offered its audio, another try, and to throw it away.
 */
export type KeptRecording = {
  readonly dictationId: string;
  /** Ms since 1970. */
  readonly startedAtMs: number;
  /** The length of the speech that is not in the queue. */
  readonly durationSamples: number;
  readonly error: ErrorInfo;
};

/** Why samples are in none of the places where they should be. */
export type LostReason =
  /** The journal's record of them could not be read or written. */
  | 'unreadable'
  /** A worker died and was replaced when the worklet no longer had them. */
  | 'overwritten'
  /** Reported as captured, but found nowhere: an error of ours. */
  | 'unaccounted';

/**
 * Where every captured sample (16 kHz) of the sessions recorded or recovered by one worker is: each
 * in exactly one place, so the places add up to `capturedSamples`.
 */
export type SampleLedger = {
  readonly capturedSamples: number;
  /** Found silent; no segment needs it. */
  readonly silentSamples: number;
  /** In the journal, not yet in the queue. */
  readonly journalledSamples: number;
  /** Waits in the queue, refused chunks and those to review included. */
  readonly queuedSamples: number;
  /** A request is under way. */
  readonly sentSamples: number;
  /** The text is here and not yet in the user's hands. */
  readonly transcribedSamples: number;
  /** The text is in the user's hands. */
  readonly deliveredSamples: number;
  /** The user has thrown it away. */
  readonly deletedSamples: number;
  /** In none of these places: the sum of `lostReasons`. */
  readonly lostSamples: number;
  readonly lostReasons: Readonly<Record<LostReason, number>>;
};

/** The places a sample can be in, in the order in which it comes through them. */
export const LEDGER_PLACES = [
  'silentSamples',
  'journalledSamples',
  'queuedSamples',
  'sentSamples',
  'transcribedSamples',
  'deliveredSamples',
  'deletedSamples',
  'lostSamples',
] as const;

/** Nothing captured yet. */
const EMPTY_LEDGER: SampleLedger = {
  capturedSamples: 0,
  silentSamples: 0,
  journalledSamples: 0,
  queuedSamples: 0,
  sentSamples: 0,
  transcribedSamples: 0,
  deliveredSamples: 0,
  deletedSamples: 0,
  lostSamples: 0,
  lostReasons: { unreadable: 0, overwritten: 0, unaccounted: 0 },
};

/** The sum over all places: `capturedSamples`, if the account is right. */
export function samplesInPlaces(ledger: SampleLedger): number {
  return LEDGER_PLACES.reduce((sum, place) => sum + ledger[place], 0);
}

/** The state of the engine that detects speech. */
export type EngineState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'loading' }
  | { readonly kind: 'ready'; readonly engine: SpeechEngineKind }
  | { readonly kind: 'failed'; readonly error: ErrorInfo };

/**
 * The phase of a session:
 * idle -> starting (microphone opens) -> recording <-> paused -> finishing (waits for the end of
 * speech) -> transcribing (microphone closed, answers pending) -> stopped -> idle (a fresh
 * recorder).
 */
export type SessionPhase =
  | 'idle'
  | 'starting'
  | 'recording'
  | 'paused'
  | 'finishing'
  | 'transcribing'
  | 'stopped';

/** A microphone as the browser names it; the label is empty until permission is given. */
export type MicrophoneDevice = { readonly deviceId: string; readonly label: string };

/**
 * Why the worker asks for the end of a recording: its longest duration is reached, the disk is
 * full, or somebody said so ("stoppa"). A full disk loses nothing: what was captured is in memory at
 * least, and goes to the server from there.
 */
export type EndCause = 'max-duration' | 'disk-full' | 'spoken';

/** The words of a live session, while it goes on. */
export type LiveText = {
  /** Final words so far, in the order of speech, pieces joined by spaces. */
  readonly finalText: string;
  /** The words behind it that will not change before they are final. */
  readonly firm: string;
  /** The words behind those that may still change. */
  readonly tentative: string;
};

/** The words of a live session that are not final. */
export type PreviewText = Pick<LiveText, 'firm' | 'tentative'>;

/** One recording, from start to stop. */
export type SessionState = {
  readonly id: string | null;
  readonly phase: SessionPhase;
  readonly isRecording: boolean;
  readonly isPaused: boolean;
  readonly isSpeaking: boolean;
  readonly device: MicrophoneDevice | null;
  /** Set when the recording cannot go on: the page ends it, as a person would. */
  readonly endCause: EndCause | null;
  /** Recorded time in ms, pauses excluded. */
  readonly accumulatedRecordingMs: number;
  /** Speech found so far, finished segments and the running one, in ms. */
  readonly speechMs: number;
  /** Finished segments and the running one; their audio never leaves the worker. */
  readonly speechSegments: readonly SampleRange[];
  /** Loudness of the latest frame (RMS), dB relative to full scale; -100 is silence. */
  readonly levelDbfs: number;
  /** A problem of the microphone, heard in its frames. */
  readonly microphoneProblem: MicrophoneProblem | null;
  /** The latest frame's speech probability, 0 to 1. */
  readonly speechProbability: number;
  /** Frames processed so far, with an engine or without. */
  readonly processedFrames: number;
  /** Number of the next chunk. */
  readonly chunkCounter: number;
  /** Where each chunk ends, in samples, by its number. */
  readonly chunkEnds: ReadonlyMap<number, number>;
  /** Uploads not yet answered. */
  readonly pendingTranscriptions: number;
  /** Chunks that left the session unanswered and wait in the queue. */
  readonly failedChunks: number;
  /** Transcripts by chunk number. */
  readonly transcriptions: ReadonlyMap<number, string>;
  /** The parts of them that snippets wrote. */
  readonly snippets: readonly WrittenSnippet[];
  /** Why some of them may not be all that was said. */
  readonly needsReview: ReadonlyMap<number, ReviewReason>;
  /** The words so far; null where they are not shown, as the recording's option `live` says. */
  readonly live: LiveText | null;
  /** Frames received and not yet processed, now and at most. */
  readonly lagFrames: number;
  readonly maxLagFrames: number;
  /** The number of times that another worker has taken the session over. */
  readonly takeovers: number;
  /** Input frames, at the context's rate, that the browser never gave us. */
  readonly lostInputFrames: number;
};

/**
 * Chunks not yet turned into text, of this session and earlier ones; not those of other tabs' open
 * sessions.
 */
export type QueueState = {
  readonly items: readonly QueueItemHead[];
  /** Set while the server refuses us (401, 403): nothing is sent until the user says so. */
  readonly isUnauthorised: boolean;
  /** True if the store has been read: before, nothing is known of earlier days. */
  readonly isLoaded: boolean;
  /**
   * True if what dead sessions left in the journal was looked for and brought here: before, what is
   * not here may still come.
   */
  readonly isRecovered: boolean;
  /** Chunks that storage did not take: they are in memory alone. */
  readonly unstoredItems: number;
};

/** One engine of the transcription server. */
export type ServerEngine = { readonly model: string; readonly languages: readonly string[] };

/** The transcription server, as its health answer tells. */
export type ServerState =
  | { readonly kind: 'unknown' }
  /** Up, but its engine is still being loaded. */
  | { readonly kind: 'loading' }
  | {
      readonly kind: 'ready';
      readonly engine: string;
      readonly model: string;
      /** Codes such as `en`; what it can write down. */
      readonly languages: readonly string[];
      /** The engines that are ready, each with the languages that go to it. */
      readonly engines: readonly ServerEngine[];
      /** True if a dictation may come in many short requests at no cost. @default false */
      readonly freePieces?: boolean;
    }
  /** Somebody is there and tells nothing of itself, as the call for texts is all that is needed. */
  | { readonly kind: 'untold' }
  | { readonly kind: 'unavailable'; readonly error: ErrorInfo };

/** All there is to render, immutable. `version` grows with every change. */
export type Snapshot = {
  readonly version: number;
  readonly engine: EngineState;
  readonly session: SessionState;
  readonly queue: QueueState;
  /**
   * Ids of dictations of this page whose text is on its ordinary way to its place: it comes within
   * 20 s of the stop, and no list shows it as waiting. Only the page knows.
   */
  readonly awaited: readonly string[];
  /**
   * The dictation that was cancelled last, for as long as that can be undone; see
   * `Dictation.cancel`. No list shows it. Only the page knows.
   */
  readonly cancelled: string | null;
  /** Recordings that wait in the journal, since they could not be encoded; oldest first. */
  readonly kept: readonly KeptRecording[];
  /** Every dictation of the last time, whole; see `Dictation.recordings` for what can be done. */
  readonly recordings: RecordingsState;
  readonly server: ServerState;
  readonly ledger: SampleLedger;
  readonly notices: readonly Notice[];
};

/** A fresh recorder. */
export const IDLE_SESSION: SessionState = {
  id: null,
  phase: 'idle',
  isRecording: false,
  isPaused: false,
  isSpeaking: false,
  device: null,
  endCause: null,
  accumulatedRecordingMs: 0,
  speechMs: 0,
  speechSegments: [],
  levelDbfs: -100,
  microphoneProblem: null,
  speechProbability: 0,
  processedFrames: 0,
  chunkCounter: 0,
  chunkEnds: new Map(),
  pendingTranscriptions: 0,
  failedChunks: 0,
  transcriptions: new Map(),
  snippets: [],
  needsReview: new Map(),
  live: null,
  lagFrames: 0,
  maxLagFrames: 0,
  takeovers: 0,
  lostInputFrames: 0,
};

/** No words yet. */
export const EMPTY_LIVE_TEXT: LiveText = { finalText: '', firm: '', tentative: '' };

/** The snapshot before anything has happened. */
export const INITIAL_SNAPSHOT: Snapshot = {
  version: 0,
  engine: { kind: 'idle' },
  session: IDLE_SESSION,
  queue: {
    items: [],
    isUnauthorised: false,
    isLoaded: false,
    isRecovered: false,
    unstoredItems: 0,
  },
  awaited: [],
  cancelled: null,
  kept: [],
  recordings: NO_RECORDINGS,
  server: { kind: 'unknown' },
  ledger: EMPTY_LEDGER,
  notices: [],
};

/** Everything that can change a snapshot. */
export type SnapshotEvent =
  | { readonly kind: 'engine-changed'; readonly engine: EngineState }
  /** `isLive`: words are shown. @default false: not before the first `preview-changed` */
  | { readonly kind: 'session-began'; readonly id: string; readonly isLive?: boolean }
  /** A session goes on whose worker died; the notices that are about it go on too. */
  | {
      readonly kind: 'session-taken-over';
      readonly session: SessionState;
      readonly notices: readonly Notice[];
    }
  | { readonly kind: 'session-opened'; readonly device: MicrophoneDevice }
  /** The microphone did not open, or the session is over and delivered: a fresh recorder. */
  | { readonly kind: 'session-released' }
  /** Another microphone took over. */
  | { readonly kind: 'device-changed'; readonly device: MicrophoneDevice }
  | { readonly kind: 'recording-paused' }
  | { readonly kind: 'recording-resumed' }
  /** The recording cannot go on. */
  | { readonly kind: 'end-wanted'; readonly cause: EndCause }
  /** Stop was asked for: the end of speech is awaited. */
  | { readonly kind: 'finishing-began' }
  /** The microphone is closed: answers are awaited. */
  | { readonly kind: 'transcribing-began' }
  | { readonly kind: 'session-stopped' }
  | ({ readonly kind: 'frame-processed' } & FrameFacts)
  | { readonly kind: 'input-lost'; readonly inputFrames: number }
  | { readonly kind: 'chunk-cut'; readonly number: number; readonly endSample: number }
  | ChunkTranscribed
  | ({ readonly kind: 'chunk-left'; readonly number: number } & PreviewLeft)
  /** Words of a live session that are not final. */
  | { readonly kind: 'preview-changed'; readonly preview: PreviewText }
  | { readonly kind: 'queue-changed'; readonly queue: QueueState }
  | { readonly kind: 'kept-changed'; readonly kept: readonly KeptRecording[] }
  | { readonly kind: 'recordings-changed'; readonly recordings: RecordingsState }
  | { readonly kind: 'server-changed'; readonly server: ServerState }
  | { readonly kind: 'ledger-changed'; readonly ledger: SampleLedger }
  | ({ readonly kind: 'notice-raised'; readonly notice: NoticeKind } & Omit<Notice, 'kind'>)
  | { readonly kind: 'notice-cleared'; readonly notice: NoticeKind }
  /** The worker is gone: what it alone knew is not there any more. */
  | { readonly kind: 'worker-lost'; readonly error: ErrorInfo };

/** The rest of the preview in the same moment, so that no word is seen twice or not at all. */
type PreviewLeft = { readonly preview?: PreviewText };

/** A chunk has its text. */
export type ChunkTranscribed = {
  readonly kind: 'chunk-transcribed';
  readonly number: number;
  readonly text: string;
  /** Why it may not be all. @default null */
  readonly needsReview?: ReviewReason | null;
  /** The parts of it that snippets wrote. @default nothing */
  readonly snippets?: readonly WrittenSnippet[] | undefined;
} & PreviewLeft;

/** Facts of one frame. */
export type FrameFacts = {
  /** Samples recorded so far, this frame included. */
  readonly recordedSamples: number;
  /** Samples of speech found so far, the running segment included. */
  readonly speechSamples: number;
  /** Segments not yet cut into a chunk, the running one last. */
  readonly speechSegments: readonly SampleRange[];
  readonly isSpeaking: boolean;
  readonly probability: number;
  readonly levelDbfs: number;
  readonly microphoneProblem: MicrophoneProblem | null;
  readonly lagFrames: number;
  readonly maxLagFrames: number;
};
