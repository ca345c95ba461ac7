import { msToSamples } from '../../src/core/audio/audio-format.ts';
import { DEFAULT_SESSION_OPTIONS } from '../../src/core/options/dictation-options.ts';
import type { ChunkState, QueueItemHead } from '../../src/core/queue/queue-item.ts';
import {
  NO_RECORDINGS,
  type Recording,
  type RecordingsState,
  type Rewriting,
  type Transcript,
} from '../../src/core/recordings/recording.ts';
import {
  EMPTY_LIVE_TEXT,
  IDLE_SESSION,
  INITIAL_SNAPSHOT,
  type KeptRecording,
  type LiveText,
  type Notice,
  type NoticeKind,
  type QueueState,
  type SampleLedger,
  type SessionState,
} from '../../src/core/session/snapshot.ts';
import type { Model } from '../../src/page/swedish/models.tsx';
import { SWEDISH } from '../../src/widget/strings-sv.ts';

/** One state of the recording, to be looked at. */
export type CatalogueState = {
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
export const CATALOGUE_STATES: readonly CatalogueState[] = [
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
  { name: 'ailing', session: { ...listening, microphoneProblem: 'silent' } },
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
export const CATALOGUE_NOTICES: readonly Notice[] = Object.keys(SWEDISH.notices).map((kind) => ({
  kind: kind as NoticeKind,
  error: null,
}));

/** Notices nobody must miss: nothing is heard, or a text is not where it belongs. */
export const CATALOGUE_ALARMS: readonly Notice[] = [
  { kind: 'capture-stalled', error: null },
  { kind: 'capture-gap', error: null, durationMs: 12_000 },
  { kind: 'capture-slept', error: null, durationMs: 754_000 },
  { kind: 'microphone-away', error: null },
  { kind: 'microphone-muted', error: null },
  { kind: 'text-not-inserted', error: null },
  { kind: 'text-needs-review', error: null },
  { kind: 'speech-lost', error: null },
  { kind: 'lagging', error: null },
];

/** The bar while the recording hears nothing. */
export const CATALOGUE_UNHEARD: Partial<SessionState> = listening;

/** An account of samples with something in every place. */
export const CATALOGUE_LEDGER: SampleLedger = {
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

/** Live words: none yet, a few, more than three lines, and right to left. */
export const CATALOGUE_LIVE: readonly {
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

/** A morning in the time of whoever looks, so that it looks the same everywhere. */
const MORNING_MS = new Date(2026, 0, 15, 9, 30).getTime();

const ITEM_STATES: readonly ChunkState[] = [
  {
    kind: 'answered',
    needsReview: null,
    text: 'Det här sades på tåget, strax före tunneln, och blev till text när nätet kom tillbaka.',
  },
  { kind: 'pending', isSending: true },
  // Long ago, whenever this is looked at: the next try is now.
  {
    kind: 'pending',
    nextAttemptAtMs: MORNING_MS,
    lastError: { code: 'http-network', message: '' },
  },
  {
    kind: 'pending',
    nextAttemptAtMs: MORNING_MS,
    lastError: { code: 'http-status', message: '', share: 0.42 },
  },
  { kind: 'refused', error: { code: 'language-missing', message: '' } },
  { kind: 'refused', error: { code: 'http-status', message: '' } },
  { kind: 'delivered', hasAudio: true, needsReview: 'empty', text: '' },
  {
    kind: 'delivered',
    hasAudio: true,
    needsReview: 'incomplete',
    text: 'Av det här hördes bara början',
  },
  {
    kind: 'delivered',
    hasAudio: true,
    needsReview: 'altered',
    text: 'Det här är hela texten, men fältet tog bara emot de första tjugo tecknen.',
  },
];

/** A dictation that could not be encoded. */
export const CATALOGUE_KEPT: readonly KeptRecording[] = [
  {
    dictationId: 'kept',
    startedAtMs: MORNING_MS - 600_000,
    durationSamples: msToSamples(9_000),
    error: { code: 'encoding-failed', message: '' },
  },
];

/** A queue with a dictation in every state. */
export const CATALOGUE_QUEUE: QueueState = {
  ...INITIAL_SNAPSHOT.queue,
  isLoaded: true,
  isRecovered: true,
  items: ITEM_STATES.map(
    (state, at): QueueItemHead => ({
      id: `item-${at}`,
      dictationId: `session-${at}`,
      number: 0,
      options: DEFAULT_SESSION_OPTIONS,
      createdAtMs: MORNING_MS + at * 600_000,
      durationSamples: msToSamples(14_000 + at * 20_000),
      speechSamples: msToSamples(14_000 + at * 20_000),
      rounds: 1,
      asks: 0,
      state,
    }),
  ),
};

const { removePii, fixSpelling, fast } = DEFAULT_SESSION_OPTIONS;
const OPTIONS = { removePii, fixSpelling, fast, language: 'sv' };
const REWRITING: Rewriting = {
  askedAtMs: MORNING_MS,
  options: OPTIONS,
  error: null,
  isRefused: false,
};

/** A recording, delivered unless told otherwise. */
export function madeRecording(change: Partial<Recording> & { readonly id: string }): Recording {
  return {
    startedAtMs: MORNING_MS,
    durationSamples: msToSamples(200_000),
    bytes: 800_000,
    options: OPTIONS,
    state: { kind: 'delivered' },
    firstWords: 'Kallelse till möte på torsdag, ta med underlaget.',
    needsReview: null,
    transcripts: 1,
    rewriting: null,
    ...change,
  };
}

/** Recordings in a state of their own. */
export function madeRecordings(list: readonly Recording[]): RecordingsState {
  const usedBytes = list.reduce((sum, { bytes }) => sum + bytes, 0);
  const keeping = { ...NO_RECORDINGS.keeping, keepRecordings: 24 };
  return { ...NO_RECORDINGS, keeping, list, isLoaded: true, usedBytes };
}

/** Recordings an hour apart. */
export function manyRecordings(count: number): RecordingsState {
  return madeRecordings(
    Array.from({ length: count }, (_, at) =>
      madeRecording({ id: `many-${at}`, startedAtMs: MORNING_MS - at * 3_600_000 }),
    ),
  );
}

const RECORDING_STATES: readonly Partial<Recording>[] = [
  { state: { kind: 'recording' }, firstWords: '', durationSamples: msToSamples(12_000) },
  { state: { kind: 'waiting' }, firstWords: '', durationSamples: msToSamples(41_000) },
  { transcripts: 2 },
  {
    firstWords: 'Patienten söker för återkommande huvudvärk sedan tre veckor, mest på…',
    needsReview: 'incomplete',
  },
  { firstWords: '', needsReview: 'empty', durationSamples: msToSamples(9_000) },
  {
    firstWords: 'Det här är hela texten, men fältet tog bara emot de första tjugo tecknen.',
    needsReview: 'altered',
  },
  { rewriting: REWRITING },
  { rewriting: { ...REWRITING, error: { code: 'http-network', message: '' } } },
  {
    rewriting: {
      ...REWRITING,
      error: { code: 'http-status', message: '' },
      isRefused: true,
    },
  },
  { firstWords: '', durationSamples: msToSamples(4_000) },
  { durationSamples: 0, bytes: 0 },
];

/** A recording in every state. */
export const CATALOGUE_RECORDINGS = madeRecordings(
  RECORDING_STATES.map((state, at) =>
    madeRecording({ id: `made-${at}`, startedAtMs: MORNING_MS - at * 600_000, ...state }),
  ),
);

/** One deleted by itself, and some beside each other. */
export const CATALOGUE_BIN = madeRecordings(
  [0, 1, 2, 3, 4, 5].map((at) =>
    madeRecording({
      id: `bin-${at}`,
      startedAtMs: MORNING_MS - at * 600_000,
      ...([0, 2, 3, 4].includes(at) ? { state: { kind: 'in-bin' } } : {}),
    }),
  ),
);

/** The texts of a recording that was written down twice. */
export const CATALOGUE_TEXTS: readonly Transcript[] = [
  {
    text: 'Kallelse till möte på torsdag, ta med underlag.',
    atMs: MORNING_MS,
    by: { kind: 'first' },
    needsReview: null,
  },
  {
    text: 'Kallelse till möte på torsdag, ta med underlaget. Vi ses klockan nio i det stora rummet på tredje våningen, och den som inte kan komma hör av sig innan.',
    atMs: MORNING_MS + 60_000,
    by: { kind: 'again', ...OPTIONS },
    needsReview: null,
  },
];

/** The Swedish model, as a server tells of it that has nothing of it. */
export const CATALOGUE_MODEL: Model = {
  id: 'pianissimo-sv-int8',
  name: 'Klang Pianissimo',
  languages: ['sv', 'en'],
  state: 'absent',
  fault: null,
  share: 0,
  downloadBytes: 660_433_556,
  diskBytes: 1_370_867_112,
  memoryBytes: 2_000_000_000,
  licence: 'CC BY 4.0',
  licenceUrl: 'https://creativecommons.org/licenses/by/4.0/',
  attribution: 'Klang AI AB, trained from NVIDIA Parakeet TDT 0.6b v3',
  source: 'https://huggingface.co/KlangAI/pianissimo-sv-onnx',
  changes: 'metadata added to the encoder, decoder and joint cut into two files',
};

/** It in every stage that looks different. */
export const CATALOGUE_MODELS: readonly Model[] = [
  CATALOGUE_MODEL,
  { ...CATALOGUE_MODEL, state: 'fetching', share: 0.42 },
  { ...CATALOGUE_MODEL, state: 'paused', share: 0.42 },
  { ...CATALOGUE_MODEL, state: 'converting', share: 0.96 },
  { ...CATALOGUE_MODEL, state: 'failed', fault: 'disk-small' },
  { ...CATALOGUE_MODEL, state: 'quarantined', fault: 'memory-small' },
  { ...CATALOGUE_MODEL, state: 'ready', share: 1 },
];
