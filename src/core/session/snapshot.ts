import type { SampleRange } from '../audio/audio-format.ts';
import type { MicrophoneProblem } from '../audio/microphone-diagnostics.ts';
import type { ErrorInfo } from '../errors.ts';
import type { QueueItemHead, ReviewReason } from '../queue/queue-item.ts';
import { NO_RECORDINGS, type RecordingsState } from '../recordings/recording.ts';
import type { SpeechEngineKind } from '../speech/speech-engine.ts';
import type { KeptRecording } from './kept-recording.ts';
import type { Notice } from './notices.ts';
import { EMPTY_LEDGER, type SampleLedger } from './sample-ledger.ts';

/** Whether speech can be detected. */
export type EngineState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'loading' }
  | { readonly kind: 'ready'; readonly engine: SpeechEngineKind }
  | { readonly kind: 'failed'; readonly error: ErrorInfo };

/**
 * Where a session stands:
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
 * Why the worker asks for the end of a recording: its longest duration is reached, or the disk is
 * full. A full disk loses nothing: what was captured is in memory at least, and goes to the server
 * from there.
 */
export type EndCause = 'max-duration' | 'disk-full';

/** The words of a live session, while it goes on. */
export type LiveText = {
  /** What is final so far, in the order of speech, pieces joined by spaces. */
  readonly finalText: string;
  /** What follows it and will not change before it is final. */
  readonly firm: string;
  /** What follows that and may still change. */
  readonly tentative: string;
};

/** The words of a live session that are not final. */
export type PreviewText = Pick<LiveText, 'firm' | 'tentative'>;

/** One recording, from start to stop. The fields are the spec's (section 3) and the design's. */
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
  /** What seems to be wrong with the microphone, heard in its frames. */
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
  /** Why some of them may not be all that was said. */
  readonly needsReview: ReadonlyMap<number, ReviewReason>;
  /** The words so far; null where they are not shown, as the recording's option `live` says. */
  readonly live: LiveText | null;
  /** Frames received and not yet processed, now and at most. */
  readonly lagFrames: number;
  readonly maxLagFrames: number;
  /** How often another worker has taken the session over. */
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
  /** Whether the store has been read: before, nothing is known of earlier days. */
  readonly isLoaded: boolean;
  /**
   * Whether what dead sessions left in the journal was looked for and brought here: before, what is
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
      /** Whether a dictation may come in many short requests at no cost. @default false */
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
  needsReview: new Map(),
  live: null,
  lagFrames: 0,
  maxLagFrames: 0,
  takeovers: 0,
  lostInputFrames: 0,
};

/** No words yet. */
export const EMPTY_LIVE_TEXT: LiveText = { finalText: '', firm: '', tentative: '' };

/** What is there before anything has happened. */
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
  kept: [],
  recordings: NO_RECORDINGS,
  server: { kind: 'unknown' },
  ledger: EMPTY_LEDGER,
  notices: [],
};
