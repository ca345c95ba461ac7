import { describe, expect, test } from 'vitest';
import {
  type ChunkState,
  idempotencyKey,
  joinTranscripts,
  textFlowOf,
  withChange,
} from '../../src/core/queue/queue-item.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';

const WAITING: ChunkState = { kind: 'pending', nextAttemptAtMs: 0, lastError: null };
const PARKED: ChunkState = {
  kind: 'refused',
  error: { code: 'http-status', message: 'HTTP 413' },
};
const TRANSCRIBED: ChunkState = { kind: 'answered', text: 'words', needsReview: null };
const DOUBTED: ChunkState = {
  kind: 'delivered',
  hasAudio: true,
  needsReview: 'altered',
  text: 'words',
};

test.each([
  [PARKED, WAITING],
  [WAITING, PARKED],
  [WAITING, TRANSCRIBED],
  [TRANSCRIBED, DOUBTED],
  [WAITING, DOUBTED],
])('$kind becomes $kind', (before, after) => {
  expect(withChange(makeQueueItem({ state: before }), { state: after }).state).toBe(after);
});

test.each([
  [TRANSCRIBED, WAITING],
  [TRANSCRIBED, PARKED],
  [DOUBTED, WAITING],
  [DOUBTED, TRANSCRIBED],
])('$kind stays what it is: a tab that says $kind has not seen it yet', (before, after) => {
  expect(withChange(makeQueueItem({ state: before }), { state: after }).state).toBe(before);
});

test('what a person has written down anew waits again, and an older change does not end that', () => {
  const doubted = makeQueueItem({ state: DOUBTED });
  const asked = withChange(doubted, { asks: 1, state: WAITING });
  expect(asked).toMatchObject({ asks: 1, state: WAITING });
  expect(withChange(asked, { asks: 0, state: TRANSCRIBED })).toBe(asked);
});

test('a chunk that is cut anew with other audio asks under another name; the same audio does not', () => {
  const samples = Float32Array.from({ length: 16_001 }, (_, index) => Math.sin(index));
  const key = idempotencyKey(makeQueueItem({ samples }));
  expect(idempotencyKey(makeQueueItem({ samples, rounds: 3 }))).toBe(key);
  const changed = samples.slice();
  changed[16_000] = 0.5;
  const keys = [changed, samples.slice(1)].map((other) =>
    idempotencyKey(makeQueueItem({ samples: other })),
  );
  expect(new Set([key, ...keys]).size).toBe(3);
  expect(idempotencyKey(makeQueueItem({ samples, asks: 1 }))).toBe(`${key}~1`);
  // What the server takes for one: 1 to 200 visible characters.
  expect(key).toMatch(/^[!-~]{1,200}$/);
});

describe('joinTranscripts', () => {
  test('joins in numeric order, not in that of arrival or of the alphabet', () => {
    const texts = new Map([10, 2, 0, 1].map((number) => [number, `t${number}`]));
    expect(joinTranscripts(texts)).toBe('t0\nt1\nt2\nt10');
  });

  test('ignores empty and white ones', () => {
    const texts = new Map([
      [0, ''],
      [1, 'ord'],
      [2, ' \n\t'],
      [3, ' till'],
      [4, '\u200b'],
    ]);
    expect(joinTranscripts(texts)).toBe('ord\ntill');
    expect(joinTranscripts(new Map())).toBe('');
  });

  test('joins live pieces by spaces: they end wherever somebody took a breath', () => {
    const texts = new Map([
      [1, ' till affären '],
      [0, 'Jag går'],
      [2, ''],
      [3, 'nu.'],
    ]);
    expect(joinTranscripts(texts, 'running')).toBe('Jag går till affären nu.');
    expect(textFlowOf([{}, { isLive: true }])).toBe('running');
    expect(textFlowOf([{}])).toBe('lines');
  });

  test('keeps newlines inside a transcript', () => {
    expect(joinTranscripts(new Map([[0, 'rad ett\nrad två']]))).toBe('rad ett\nrad två');
  });
});
