import type { Notice, NoticeKind } from '../../core/session/notices.ts';
import type { SampleLedger } from '../../core/session/sample-ledger.ts';
import {
  EMPTY_LIVE_TEXT,
  IDLE_SESSION,
  type LiveText,
  type SessionState,
} from '../../core/session/snapshot.ts';
import { SWEDISH } from '../../widget/strings-sv.ts';

/** One state of the recording, to be looked at. */
export type ReviewState = {
  readonly name: string;
  readonly session: Partial<SessionState>;
  /** The wait has been long. @default false */
  readonly isLong?: boolean;
};

const MICROPHONE = { deviceId: 'one', label: 'Intern mikrofon' };

const listening: Partial<SessionState> = {
  phase: 'recording',
  isRecording: true,
  device: MICROPHONE,
  levelDbfs: -58,
  accumulatedRecordingMs: 3_400,
};

/** Everything a field can look like while something is recorded or finished. */
export const REVIEW_STATES: readonly ReviewState[] = [
  { name: 'idle', session: IDLE_SESSION },
  { name: 'starting', session: { phase: 'starting' } },
  { name: 'listening', session: listening },
  { name: 'speaking', session: { ...listening, isSpeaking: true, levelDbfs: -24 } },
  {
    name: 'long',
    session: {
      ...listening,
      isSpeaking: true,
      levelDbfs: -24,
      accumulatedRecordingMs: 754_000,
      chunkCounter: 8,
      pendingTranscriptions: 1,
      failedChunks: 2,
      transcriptions: new Map([1, 2, 3, 4, 5].map((number) => [number, 'text'])),
    },
  },
  { name: 'ailing', session: { ...listening, ailment: 'silent' } },
  { name: 'paused', session: { ...listening, phase: 'paused', isPaused: true } },
  { name: 'finishing', session: { ...listening, phase: 'finishing' } },
  {
    name: 'transcribing',
    session: { ...listening, phase: 'transcribing', chunkCounter: 1, pendingTranscriptions: 1 },
  },
  {
    name: 'awaiting',
    session: { ...listening, phase: 'transcribing', chunkCounter: 3, pendingTranscriptions: 2 },
    isLong: true,
  },
];

/** Every notice there is. */
export const REVIEW_NOTICES: readonly Notice[] = Object.keys(SWEDISH.notices).map((kind) => ({
  kind: kind as NoticeKind,
  error: null,
}));

/** Notices nobody must miss: nothing is heard, or a text is not where it belongs. */
export const REVIEW_ALARMS: readonly Notice[] = [
  { kind: 'capture-stalled', error: null },
  { kind: 'capture-gap', error: null, durationMs: 12_000 },
  { kind: 'capture-slept', error: null, durationMs: 754_000 },
  { kind: 'microphone-away', error: null },
  { kind: 'microphone-muted', error: null },
  { kind: 'text-not-inserted', error: null },
  { kind: 'text-doubted', error: null },
  { kind: 'speech-lost', error: null },
  { kind: 'lagging', error: null },
];

/** What the bar looks like while nothing is heard of what is recorded. */
export const REVIEW_UNHEARD: Partial<SessionState> = listening;

/** An account of samples with something in every place. */
export const REVIEW_LEDGER: SampleLedger = {
  capturedSamples: 1_152_000,
  silentSamples: 400_000,
  journalledSamples: 96_000,
  queuedSamples: 64_000,
  sentSamples: 160_000,
  transcribedSamples: 80_000,
  deliveredSamples: 320_000,
  deletedSamples: 27_424,
  lostSamples: 4_576,
  lostReasons: { unreadable: 4_576, overwritten: 0, unaccounted: 0 },
};

/** What is being said: nothing yet, a few words, more than three lines, and from right to left. */
export const REVIEW_LIVE: readonly {
  readonly name: string;
  readonly live: LiveText;
  readonly dir: 'ltr' | 'rtl';
}[] = [
  { name: 'none', live: EMPTY_LIVE_TEXT, dir: 'ltr' },
  {
    name: 'few',
    live: { finalText: '', firm: 'Patienten kom i', tentative: 'går efter' },
    dir: 'ltr',
  },
  {
    name: 'many',
    live: {
      finalText:
        'Det här är en lång diktering som började för ett par minuter sedan. Den första raden har redan glidit ut upptill, för här ryms bara tre. Så ska det vara.',
      firm: 'Det sista som sades syns',
      tentative: 'alltid längst ned',
    },
    dir: 'ltr',
  },
  {
    name: 'right-to-left',
    live: { finalText: 'שלום לכולם.', firm: 'אני מדבר', tentative: 'עכשיו' },
    dir: 'rtl',
  },
];
