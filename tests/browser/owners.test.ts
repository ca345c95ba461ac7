import { describe, expect, test, vi } from 'vitest';
import { DEFAULT_SESSION_OPTIONS } from '../../src/core/options/dictation-options.ts';
import { createOwnerScope, type Owner } from '../../src/core/queue/owner.ts';
import { browserClock } from '../../src/platform/browser-clock.ts';
import { accountsAt, claimUnowned, createChunkStore } from '../../workers/store/chunk-store.ts';
import type { Database } from '../../workers/store/database.ts';
import { createJournal } from '../../workers/store/journal.ts';
import { createRecordingStore } from '../../workers/store/recording-store.ts';
import { deliveredAs, makeDelivery } from '../helpers/deliveries.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';
import { createTestDatabase } from '../helpers/test-database.ts';

const HERE = 'https://here.example/api/asr/vad';
const ELSEWHERE = 'https://elsewhere.example/api/asr/vad';
const A: Owner = { account: 'a', address: HERE };
const B: Owner = { account: 'b', address: HERE };
const NOBODY: Owner = { account: null, address: HERE };

/** Opens the stores as that person. */
function enter(database: Database, owner: Owner) {
  const scope = createOwnerScope(owner);
  const journal = createJournal({
    database,
    clock: browserClock,
    onFailure: vi.fn(),
    scope,
  });
  const queue = createChunkStore(database, journal, undefined, scope);
  const recordings = createRecordingStore(database, scope);
  return {
    scope,
    queue,
    recordings,
    /** One dictation in the journal, one in the queue, one kept whole. */
    async dictate(name: string): Promise<void> {
      await journal.begin({
        dictationId: `${name}-spoken`,
        startedAtMs: 1,
        options: DEFAULT_SESSION_OPTIONS,
        schemaVersion: 1,
      });
      await queue.put(makeQueueItem({ dictationId: `${name}-sent` }));
      const start = { id: `${name}-kept`, startedAtMs: 1, options: DEFAULT_SESSION_OPTIONS };
      const dictationId = start.id;
      await queue.markDelivered(makeDelivery([[0, deliveredAs('hej')]], { dictationId, start }));
    },
    async found(): Promise<string[]> {
      const spoken = await journal.list();
      const sent = await queue.list();
      const kept = await recordings.list();
      return [
        ...spoken.map(({ dictationId }) => dictationId),
        ...sent.map(({ dictationId }) => dictationId),
        ...kept.map(({ id }) => id),
      ];
    },
  };
}

const allOf = (name: string) => [`${name}-spoken`, `${name}-sent`, `${name}-kept`];

describe('what one person dictated', () => {
  test.each<[string, Owner]>([
    ['in another account', B],
    ['at another address', { ...A, address: ELSEWHERE }],
    ['where nobody is signed in', NOBODY],
  ])('is not found %s, and is there again for its own', async (_what, other) => {
    const database = createTestDatabase();
    await enter(database, A).dictate('one');
    await enter(database, other).dictate('two');
    expect(await enter(database, other).found()).toEqual(allOf('two'));
    const own = enter(database, A);
    if (other.account === null) await claimUnowned(database, own.scope);
    const found = await own.found();
    expect(found).toEqual(expect.arrayContaining(allOf('one')));
    if (other.account !== null) expect(found).toEqual(allOf('one'));
  });

  test('before anybody had signed in is theirs who do first, and from then on nobody else’s', async () => {
    const database = createTestDatabase();
    await enter(database, NOBODY).dictate('early');
    await enter(database, { ...NOBODY, address: ELSEWHERE }).dictate('elsewhere');
    const first = enter(database, A);
    expect(await first.found()).toEqual(allOf('early'));
    await claimUnowned(database, first.scope);
    const next = enter(database, B);
    await claimUnowned(database, next.scope);
    expect(await next.found()).toEqual([]);
    expect(await enter(database, NOBODY).found()).toEqual([]);
    expect(await first.found()).toEqual(allOf('early'));
    expect(await enter(database, { ...NOBODY, address: ELSEWHERE }).found()).toEqual(
      allOf('elsewhere'),
    );
  });

  test('stays theirs whatever becomes of it, and says nothing of them to who reads it', async () => {
    const database = createTestDatabase();
    const { dictate, queue, recordings } = enter(database, A);
    await dictate('one');
    const state = { kind: 'answered', text: 'hej', needsReview: null } as const;
    await queue.update('one-sent:0', { rounds: 1, state });
    await recordings.change('one-kept', (record) => ({ ...record, endedAtMs: 3 }));
    expect(await enter(database, B).found()).toEqual([]);
    for (const record of [
      await queue.get('one-sent:0'),
      ...(await queue.list()),
      await recordings.get('one-kept'),
      ...(await recordings.list()),
    ]) {
      expect(record).toBeDefined();
      expect(record).not.toHaveProperty('owner');
    }
  });

  test('ends with its time for others, too, but for what waits', async () => {
    const database = createTestDatabase();
    await enter(database, A).dictate('one');
    const others = await enter(database, B).recordings.listOthers();
    expect(others.map(({ id }) => id)).toEqual(['one-kept']);
    await enter(database, A).queue.put(makeQueueItem({ dictationId: 'one-kept', number: 1 }));
    expect(await enter(database, B).recordings.listOthers()).toEqual([]);
    expect(await enter(database, A).recordings.listOthers()).toEqual([]);
  });

  test('is sent by a service worker under their own name, to its own address', async () => {
    const database = createTestDatabase();
    for (const owner of [A, B, NOBODY, { account: 'c', address: ELSEWHERE }]) {
      await enter(database, owner).dictate(`${owner.account}`);
    }
    expect([...(await accountsAt(database, HERE))].sort()).toEqual(['a', 'b', null]);
    expect([...(await accountsAt(database, ELSEWHERE))]).toEqual(['c']);
  });
});

test('who a server names is believed only where the page has not said who it is', () => {
  const said = createOwnerScope(A);
  expect(said.learn('b')).toBe(false);
  expect(said.owner).toEqual(A);
  const unsaid = createOwnerScope(NOBODY, false);
  expect([unsaid.learn('b'), unsaid.learn('b')]).toEqual([true, false]);
  expect(unsaid.owner).toEqual(B);
});
