import { expect, test } from 'vitest';
import { idempotencyKey } from '../../src/core/queue/queue-item.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';

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
