import { msToSamples } from '../../core/audio/audio-format.ts';
import { DEFAULT_SESSION_OPTIONS } from '../../core/options/dictation-options.ts';
import {
  NO_RECORDINGS,
  type Recording,
  type RecordingsState,
  type Rewriting,
  type Transcript,
} from '../../core/recordings/recording.ts';

/** A morning in the time of whoever looks; long ago, so that its name does not change. */
const MORNING_MS = new Date(2026, 0, 15, 9, 30).getTime();

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
    doubt: null,
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

/** So many, an hour between them. */
export function manyRecordings(count: number): RecordingsState {
  return madeRecordings(
    Array.from({ length: count }, (_, at) =>
      madeRecording({ id: `many-${at}`, startedAtMs: MORNING_MS - at * 3_600_000 }),
    ),
  );
}

const STATES: readonly Partial<Recording>[] = [
  { state: { kind: 'recording' }, firstWords: '', durationSamples: msToSamples(12_000) },
  { state: { kind: 'waiting' }, firstWords: '', durationSamples: msToSamples(41_000) },
  { transcripts: 2 },
  {
    firstWords: 'Patienten söker för återkommande huvudvärk sedan tre veckor, mest på…',
    doubt: 'incomplete',
  },
  { firstWords: '', doubt: 'empty', durationSamples: msToSamples(9_000) },
  {
    firstWords: 'Det här är hela texten, men fältet tog bara emot de första tjugo tecknen.',
    doubt: 'altered',
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
export const REVIEW_RECORDINGS = madeRecordings(
  STATES.map((state, at) =>
    madeRecording({ id: `made-${at}`, startedAtMs: MORNING_MS - at * 600_000, ...state }),
  ),
);

/** One deleted by itself, and some beside each other. */
export const REVIEW_BIN = madeRecordings(
  [0, 1, 2, 3, 4, 5].map((at) =>
    madeRecording({
      id: `bin-${at}`,
      startedAtMs: MORNING_MS - at * 600_000,
      ...([0, 2, 3, 4].includes(at) ? { state: { kind: 'in-bin' } } : {}),
    }),
  ),
);

/** The texts of a recording that was written down twice. */
export const REVIEW_TEXTS: readonly Transcript[] = [
  {
    text: 'Kallelse till möte på torsdag, ta med underlag.',
    atMs: MORNING_MS,
    by: { kind: 'first' },
    doubt: null,
  },
  {
    text: 'Kallelse till möte på torsdag, ta med underlaget. Vi ses klockan nio i det stora rummet på tredje våningen, och den som inte kan komma hör av sig innan.',
    atMs: MORNING_MS + 60_000,
    by: { kind: 'again', ...OPTIONS },
    doubt: null,
  },
];
