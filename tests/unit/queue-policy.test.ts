import { describe, expect, it } from 'vitest';
import type { QueueItemHead } from '../../src/core/queue/queue-item.ts';
import {
  chooseNext,
  dueInMs,
  roundDelayMs,
  waitAfterRound,
} from '../../src/core/queue/queue-policy.ts';
import { INITIAL_SNAPSHOT } from '../../src/core/session/snapshot.ts';
import { queueNotices } from '../../workers/snapshot-publisher.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';

const NOW_MS = 1_700_000_100_000;
const ERROR = { code: 'http-status', message: 'POST /: 500' } as const;
const lowest = () => 0;
const highest = () => 0.999_999;

function waiting(number: number, change: Partial<QueueItemHead> = {}, inMs = 0): QueueItemHead {
  const state = { kind: 'pending', nextAttemptAtMs: NOW_MS + inMs, lastError: null } as const;
  return makeQueueItem({ number, state, ...change });
}

describe('rounds', () => {
  it('come 30 s apart, doubling to 15 min, with a quarter of jitter', () => {
    const minutes = (random: () => number) =>
      [1, 2, 3, 4, 5, 6, 7, 500].map((rounds) => roundDelayMs(rounds, random) / 60_000);
    expect(minutes(lowest)).toEqual([0.5, 1, 2, 4, 8, 15, 15, 15]);
    expect(minutes(highest).map((value) => value.toFixed(2))).toEqual(
      [0.63, 1.25, 2.5, 5, 10, 18.75, 18.75, 18.75].map((value) => value.toFixed(2)),
    );
  });

  it('wait for what the server asked', () => {
    expect(waitAfterRound(1, ERROR, 60_000, NOW_MS, lowest)).toEqual({
      kind: 'pending',
      nextAttemptAtMs: NOW_MS + 60_000,
      lastError: ERROR,
    });
    const soon = waitAfterRound(2, ERROR, 5, NOW_MS, lowest);
    expect(soon.nextAttemptAtMs).toBe(NOW_MS + 60_000);
  });
});

describe('what is due', () => {
  it('is what waits and whose time has come', () => {
    expect(dueInMs(waiting(0, {}, 5_000), NOW_MS)).toBe(5_000);
    expect(dueInMs(waiting(0, {}, -5_000), NOW_MS)).toBe(0);
    expect(
      dueInMs(makeQueueItem({ state: { kind: 'pending', isSending: true } }), NOW_MS),
    ).toBeNull();
  });

  it('does not wait for years when a clock was set back', () => {
    expect(dueInMs(waiting(0, {}, 3_600_000 * 24 * 365), NOW_MS)).toBe(0);
    expect(dueInMs(waiting(0, {}, 15 * 60_000 * 1.25), NOW_MS)).toBe(1_125_000);
  });

  it('goes oldest first, and after all others if it failed three times', () => {
    const items = [
      waiting(1),
      waiting(0, { rounds: 3 }),
      waiting(2, { rounds: 2 }),
      waiting(0, { dictationId: 'older', createdAtMs: 5 }, 1),
      makeQueueItem({ number: 9, state: { kind: 'refused', error: ERROR } }),
    ];
    const order: string[] = [];
    const left = new Set(items);
    for (let next = chooseNext(left, NOW_MS); next; next = chooseNext(left, NOW_MS)) {
      order.push(next.id);
      left.delete(next);
    }
    expect(order).toEqual(['session:1', 'session:2', 'session:0']);
  });
});

describe('notices', () => {
  const failed = waiting(0, {
    state: { kind: 'pending', nextAttemptAtMs: 0, lastError: ERROR },
  });
  const parked = makeQueueItem({ number: 1, state: { kind: 'refused', error: ERROR } });

  it('tell of uploads that failed, of a server that refuses us, of parked chunks', () => {
    const kinds = (items: readonly QueueItemHead[], isUnauthorised = false) =>
      queueNotices({ ...INITIAL_SNAPSHOT.queue, items, isUnauthorised }).map(({ kind }) => kind);
    expect(kinds([])).toEqual([]);
    expect(kinds([waiting(0)])).toEqual([]);
    expect(kinds([failed])).toEqual(['upload-failed']);
    expect(kinds([failed], true)).toEqual(['uploads-unauthorised']);
    expect(kinds([parked, failed])).toEqual(['upload-failed', 'chunk-refused']);
  });
});
