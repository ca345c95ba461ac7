import { describe, expect, test } from 'vitest';
import type { QueueItemHead, QueueStore } from '../../src/core/queue/queue-item.ts';
import { createQueueCache } from '../../workers/queue/queue-cache.ts';
import { createMemoryQueueStore } from '../helpers/memory-queue-store.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';
import { createRecordingLog } from '../helpers/recording-log.ts';

type Method = 'put' | 'replace' | 'update' | 'remove';

/** A cache on a store whose calls wait for the test, which has them fail or happen. */
function setUp() {
  const memory = createMemoryQueueStore();
  const held = new Map<Method, (() => void)[]>();
  const failing = new Set<Method>();

  async function turn(method: Method, work: () => Promise<void>): Promise<void> {
    const waiting = held.get(method);
    if (waiting) await new Promise<void>((resolve) => waiting.push(resolve));
    if (failing.has(method)) throw new Error(`${method} failed`);
    await work();
  }

  const store: QueueStore = {
    ...memory,
    put: (item) => turn('put', () => memory.put(item)),
    replace: (id, parts) => turn('replace', () => memory.replace(id, parts)),
    update: (id, change) => turn('update', () => memory.update(id, change)),
    remove: (id) => turn('remove', () => memory.remove(id)),
  };
  const cache = createQueueCache({
    store,
    log: createRecordingLog(),
    onChange: () => {},
    onStored: () => {},
    onStorage: () => {},
  });
  return {
    cache,
    stored: async () => (await memory.list()).map(({ id }) => id),
    memory,
    ids: () => cache.list().map(({ id }: QueueItemHead) => id),
    load: () => cache.load(() => false),
    fail: (method: Method) => failing.add(method),
    heal: (method: Method) => failing.delete(method),
    hold: (method: Method) => held.set(method, []),
    letGo(method: Method) {
      const waiting = held.get(method) ?? [];
      held.delete(method);
      for (const go of waiting) go();
    },
  };
}

/** Loads go on without being waited for: what they try again has its turn. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

describe('a load while a chunk is being put', () => {
  test.each(['before', 'while', 'twice'])(
    '%s: a put that fails then leaves it here',
    async (when) => {
      const { cache, ids, load, stored, hold, letGo, fail, heal } = setUp();
      const earlier = when === 'before' ? load() : null;
      hold('put');
      const adding = cache.add(makeQueueItem());
      await (earlier ?? load());
      if (when === 'twice') await Promise.all([load(), load()]);
      expect(ids()).toEqual(['session:0']);
      expect(cache.isUnstored('session:0'), 'its journal is needed').toBe(true);
      fail('put');
      letGo('put');
      expect(await adding).toBe(false);
      await load();
      expect(ids()).toEqual(['session:0']);
      expect(cache.unstoredItems).toBe(1);
      expect(cache.isUnstored('session:0')).toBe(true);

      heal('put');
      await load();
      await settled();
      expect(await stored()).toEqual(['session:0']);
      expect(cache.isUnstored('session:0')).toBe(false);
    },
  );

  test('a put that never ends leaves it here, with its audio', async () => {
    const { cache, ids, load, hold } = setUp();
    hold('put');
    void cache.add(makeQueueItem());
    await load();
    cache.forgetAudio('session:0');
    await load();
    expect(ids()).toEqual(['session:0']);
    expect((await cache.fetch('session:0'))?.audio.durationSamples).toBe(16_000);
  });

  test('what was read before it succeeded does not take it away', async () => {
    const { cache, ids, hold, letGo, memory } = setUp();
    hold('put');
    const adding = cache.add(makeQueueItem());
    // The list was read; its answer comes after the put has.
    const { list } = memory;
    let answer = (): void => {};
    memory.list = async () => {
      const heads = await list();
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return heads;
    };
    const loading = cache.load(() => false);
    await settled();
    letGo('put');
    await adding;
    answer();
    await loading;
    expect(ids()).toEqual(['session:0']);
  });

  test('removed meanwhile, it does not come back', async () => {
    const { cache, ids, load, hold, letGo, stored } = setUp();
    hold('put');
    const adding = cache.add(makeQueueItem());
    await cache.remove('session:0', 'deleted');
    letGo('put');
    await adding;
    await load();
    await load();
    expect(ids()).toEqual([]);
    expect(await stored()).toEqual([]);
  });
});

describe('a change that the store did not take', () => {
  test('stands, and is written when the store works again', async () => {
    const { cache, load, fail, heal, memory } = setUp();
    await cache.add(makeQueueItem());
    fail('update');
    const state = { kind: 'transcribed', text: 'hej', doubt: null } as const;
    await cache.change('session:0', { rounds: 1 });
    await cache.change('session:0', { state });
    await load();
    expect(cache.head('session:0')).toMatchObject({ rounds: 1, state });
    heal('update');
    await load();
    await settled();
    expect((await memory.list())[0]).toMatchObject({ rounds: 1, state });
  });
});

describe('parts in the place of a chunk', () => {
  const parts = ['0', '1'].map((part) => makeQueueItem({ id: `session:0-${part}`, part }));
  const partIds = parts.map(({ id }) => id);

  test.each(['fails', 'never ends'])('a replacement that %s loses neither', async (how) => {
    const { cache, ids, load, fail, heal, hold, stored } = setUp();
    await cache.add(makeQueueItem());
    if (how === 'fails') fail('replace');
    else hold('replace');
    const replacing = cache.replace('session:0', parts);
    if (how === 'fails') await replacing;
    await load();
    await load();
    await settled();
    expect(await stored(), 'a crash now').toEqual(['session:0']);
    expect(ids(), 'asked for once').toEqual(partIds);
    expect(cache.isUnstored('session:0')).toBe(true);
    if (how === 'never ends') return;

    heal('replace');
    await load();
    await settled();
    expect(await stored()).toEqual(partIds);
    expect(ids()).toEqual(partIds);
    expect(cache.isUnstored('session:0')).toBe(false);
  });

  test('what became of them before they were stored is stored with them', async () => {
    const { cache, ids, load, fail, heal, memory } = setUp();
    await cache.add(makeQueueItem());
    fail('replace');
    await cache.replace('session:0', parts);
    const state = { kind: 'transcribed', text: 'hej', doubt: null } as const;
    await cache.change('session:0-0', { state });
    await cache.replace('session:0-1', [
      makeQueueItem({ id: 'session:0-10', part: '10' }),
      makeQueueItem({ id: 'session:0-11', part: '11' }),
    ]);
    await cache.remove('session:0-11', 'deleted');
    heal('replace');
    await load();
    await settled();
    expect(await memory.list()).toMatchObject([
      { id: 'session:0-0', state },
      { id: 'session:0-10' },
    ]);
    await load();
    expect(ids()).toEqual(['session:0-0', 'session:0-10']);
  });
});
