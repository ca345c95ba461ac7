import { msToSamples } from '../../core/audio/audio-format.ts';
import { DEFAULT_SESSION_OPTIONS } from '../../core/options/dictation-options.ts';
import type { QueueItemHead, QueueItemState } from '../../core/queue/queue-item.ts';
import type { KeptRecording } from '../../core/session/kept-recording.ts';
import { INITIAL_SNAPSHOT, type QueueState } from '../../core/session/snapshot.ts';

/** A morning in the time of whoever looks, so that it looks the same everywhere. */
const MORNING_MS = new Date(2026, 0, 15, 9, 30).getTime();

const STATES: readonly QueueItemState[] = [
  {
    kind: 'transcribed',
    doubt: null,
    text: 'Det här sades på tåget, strax före tunneln, och blev till text när nätet kom tillbaka.',
  },
  { kind: 'sending' },
  // Long ago, whenever this is looked at: the next try is now.
  {
    kind: 'waiting',
    nextAttemptAtMs: MORNING_MS,
    lastError: { code: 'http-network', message: '' },
  },
  {
    kind: 'waiting',
    nextAttemptAtMs: MORNING_MS,
    lastError: { code: 'http-status', message: '', share: 0.42 },
  },
  { kind: 'parked', error: { code: 'language-missing', message: '' } },
  { kind: 'parked', error: { code: 'http-status', message: '' } },
  { kind: 'doubted', why: 'empty', text: '' },
  { kind: 'doubted', why: 'incomplete', text: 'Av det här hördes bara början' },
  {
    kind: 'doubted',
    why: 'altered',
    text: 'Det här är hela texten, men fältet tog bara emot de första tjugo tecknen.',
  },
];

/** A dictation that could not be encoded. */
export const REVIEW_KEPT: readonly KeptRecording[] = [
  {
    dictationId: 'kept',
    startedAtMs: MORNING_MS - 600_000,
    durationSamples: msToSamples(9_000),
    error: { code: 'encoding-failed', message: '' },
  },
];

/** A queue with a dictation in every state. */
export const REVIEW_QUEUE: QueueState = {
  ...INITIAL_SNAPSHOT.queue,
  isLoaded: true,
  isRecovered: true,
  items: STATES.map(
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
