import type { ErrorInfo } from '../errors.ts';

/**
 * What a person must be told. The words are the interface's; this is only the fact. A notice goes
 * when its cause is gone.
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
