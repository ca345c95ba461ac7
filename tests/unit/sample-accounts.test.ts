import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ChunkState, QueueItemHead } from '../../src/core/queue/queue-item.ts';
import { samplesInPlaces } from '../../src/core/session/snapshot.ts';
import { createSampleAccounts } from '../../workers/session/sample-accounts.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';

const STATES: readonly ChunkState[] = [
  { kind: 'pending', nextAttemptAtMs: 0, lastError: null },
  { kind: 'pending', isSending: true },
  { kind: 'refused', error: { code: 'http-status', message: '400' } },
  { kind: 'answered', text: 'hej', needsReview: null },
];

function chunk(number: number, durationSamples: number, state = STATES[0]): QueueItemHead {
  return { ...makeQueueItem({ number }), durationSamples, ...(state ? { state } : {}) };
}

test('whatever happens, every sample is in one place, and none is lost while all are told of', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 100_000 }), { maxLength: 12 });
  const fates = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 12, maxLength: 12 });
  fc.assert(
    fc.property(sizes, fates, fc.nat(50_000), fc.nat(50_000), (chunks, fate, silent, journal) => {
      const accounts = createSampleAccounts();
      accounts.captured(
        'session',
        chunks.reduce((sum, size) => sum + size, silent + journal),
      );
      accounts.silent('session', silent);
      const queue: QueueItemHead[] = [];
      for (const [number, size] of chunks.entries()) {
        const kind = fate[number] ?? 0;
        const item = chunk(number, size, STATES[kind]);
        accounts.enqueued(item);
        if (kind === 4) accounts.settled(item.id, 'delivered');
        else if (kind === 5) accounts.settled(item.id, 'deleted');
        else queue.push(item);
      }
      const ledger = accounts.ledger(queue);
      expect(samplesInPlaces(ledger)).toBe(ledger.capturedSamples);
      expect(ledger.lostSamples).toBe(0);
      expect(ledger.journalledSamples).toBe(journal);
    }),
    { seed: 4_711 },
  );
});

test('a chunk that is nowhere is lost, and said to be', () => {
  const accounts = createSampleAccounts();
  const item = chunk(0, 1_000);
  accounts.captured('session', 1_000);
  accounts.enqueued(item);
  expect(accounts.ledger([item]).queuedSamples).toBe(1_000);
  expect(accounts.ledger([]).lostSamples).toBe(1_000);
});

test('chunks of other sessions are not its concern', () => {
  const accounts = createSampleAccounts();
  accounts.settled('of-another', 'deleted');
  expect(accounts.ledger([chunk(7, 900)])).toMatchObject({ capturedSamples: 0, queuedSamples: 0 });
});

test('what the journal could not give back is lost, and why is said', () => {
  const accounts = createSampleAccounts();
  accounts.captured('session', 1_000);
  accounts.unreadable('session', 300);
  expect(accounts.ledger([])).toMatchObject({
    journalledSamples: 700,
    lostSamples: 300,
    lostReasons: { unreadable: 300, unaccounted: 0 },
  });
});

test('a session replayed by the worker that recorded it counts once', () => {
  const accounts = createSampleAccounts();
  accounts.captured('session', 3_000);
  accounts.silent('session', 500);
  const [safe, unsafe] = [chunk(0, 1_000), chunk(1, 1_000)];
  for (const item of [safe, unsafe]) accounts.enqueued(item);
  accounts.replaying('session', 1);
  accounts.captured('session', 1_500);
  accounts.enqueued(chunk(1, 1_200));
  const ledger = accounts.ledger([safe, unsafe]);
  expect(ledger).toMatchObject({ queuedSamples: 2_200, journalledSamples: 300, lostSamples: 0 });
  expect(samplesInPlaces(ledger)).toBe(ledger.capturedSamples);
});

test('a journal thrown away is deleted, not lost', () => {
  const accounts = createSampleAccounts();
  accounts.captured('session', 900);
  accounts.silent('session', 200);
  accounts.journalDeleted('session');
  expect(accounts.ledger([])).toMatchObject({ deletedSamples: 700, journalledSamples: 0 });
});
