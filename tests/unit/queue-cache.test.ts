import { describe, expect, test } from 'vitest';
import type { Delivery, QueueItemHead } from '../../src/core/queue/queue-item.ts';
import type { ChunkStore } from '../../workers/store/chunk-store.ts';
import { DictationEntries } from '../../workers/upload/dictation-entry.ts';
import { createQueueCache } from '../../workers/upload/queue-cache.ts';
import { deliveredAs, makeDelivery } from '../helpers/deliveries.ts';
import { createMemoryQueueStore } from '../helpers/memory-queue-store.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';
import { createRecordingLog } from '../helpers/recording-log.ts';

type Method = 'put' | 'update' | 'remove' | 'markDelivered';

/** A cache on a store whose calls wait for the test, which has them fail or happen. */
function setUp() {
  const memory = createMemoryQueueStore();
  const held = new Map<Method, (() => void)[]>();
  const failing = new Set<Method>();
  const refused = new Set<string>();
  /** Chunks of which the store has the text alone. */
  const closed = new Set<string>();
  const deliveries: Delivery[] = [];
  const put: (readonly [id: string, nextChunkNumber: number | undefined])[] = [];

  async function turn<T>(method: Method, work: () => Promise<T>): Promise<T> {
    const waiting = held.get(method);
    if (waiting) await new Promise<void>((resolve) => waiting.push(resolve));
    if (failing.has(method)) throw new Error(`${method} failed`);
    return work();
  }

  const store: ChunkStore = {
    ...memory,
    put: (item, cut) =>
      turn('put', async () => {
        if (refused.has(item.id)) throw new Error('refused');
        put.push([item.id, cut?.nextChunkNumber]);
        return !closed.has(item.id) && memory.put(item);
      }),
    cut: (cut, goneId) => turn('put', () => memory.cut(cut, goneId)),
    update: (id, change) => turn('update', () => memory.update(id, change)),
    remove: (id) => turn('remove', () => memory.remove(id)),
    markDelivered: (delivery) =>
      turn('markDelivered', async () => {
        deliveries.push(delivery);
        return memory.markDelivered(delivery);
      }),
  };
  let onChange = () => {};
  const cache = createQueueCache({
    store,
    entries: new DictationEntries(),
    clock: { nowMs: () => 7 },
    log: createRecordingLog(),
    onChange: () => onChange(),
    onStored: () => {},
    onStorage: () => {},
  });
  return {
    cache,
    closed,
    whenChanged(listener: () => void) {
      onChange = listener;
    },
    stored: async () => (await memory.list()).map(({ id }) => id),
    memory,
    ids: () => cache.list().map(({ id }: QueueItemHead) => id),
    load: () => cache.load(() => false),
    fail: (method: Method) => failing.add(method),
    heal(method: Method) {
      failing.delete(method);
      refused.clear();
    },
    refuse: (id: string) => refused.add(id),
    /** Chunks that were delivered, and the session whose journal went with them. */
    marks: () =>
      deliveries.map(({ dictationId, chunks, isOver }) => [
        chunks.map(({ id }) => id),
        isOver ? dictationId : null,
      ]),
    deliveries: () => deliveries,
    /** What was put, and the number of the chunk behind the cut that went with it. */
    puts: () => put,
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
      expect(cache.hasUnstored('session'), 'its journal is needed').toBe(true);
      fail('put');
      letGo('put');
      await adding;
      await load();
      expect(ids()).toEqual(['session:0']);
      expect(cache.unstoredItems).toBe(1);
      expect(cache.hasUnstored('session')).toBe(true);

      heal('put');
      await load();
      await settled();
      expect(await stored()).toEqual(['session:0']);
      expect(cache.hasUnstored('session')).toBe(false);
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

describe('the chunks of a session', () => {
  const cutAt = (nextChunkNumber: number) => ({
    nextChunkNumber,
    cutUpToSample: nextChunkNumber * 1_000,
    isInSpeech: false,
  });

  test('get into the store in the order of speech, each with the cut behind it', async () => {
    const { cache, load, fail, heal, puts } = setUp();
    fail('put');
    await cache.add(makeQueueItem({ number: 0 }), cutAt(1));
    heal('put');
    await cache.add(makeQueueItem({ number: 1 }), cutAt(2));
    expect(puts()).toEqual([
      ['session:0', 1],
      ['session:1', 2],
    ]);
    expect(cache.hasUnstored('session')).toBe(false);
    await load();
    await settled();
    expect(puts(), 'once').toHaveLength(2);
  });

  test('are not tried behind one that the store refuses', async () => {
    const { cache, load, refuse, heal, puts } = setUp();
    refuse('session:0');
    await cache.add(makeQueueItem({ number: 0 }), cutAt(1));
    await cache.add(makeQueueItem({ number: 1 }), cutAt(2));
    await cache.add(makeQueueItem({ dictationId: 'other', number: 7 }), cutAt(8));
    expect(puts()).toEqual([['other:7', 8]]);
    expect(cache.unstoredItems).toBe(2);
    heal('put');
    await load();
    await settled();
    expect(puts().slice(1)).toEqual([
      ['session:0', 1],
      ['session:1', 2],
    ]);
  });

  test('are stored again when they change on their way', async () => {
    const { cache, hold, letGo, memory } = setUp();
    hold('put');
    const adding = cache.add(makeQueueItem(), cutAt(1));
    await settled();
    const changing = cache.change('session:0', { rounds: 1 });
    expect(cache.isOnItsWay('session:0')).toBe(true);
    letGo('put');
    await Promise.all([adding, changing]);
    expect(cache.isOnItsWay('session:0')).toBe(false);
    expect((await memory.list())[0]).toMatchObject({ rounds: 1 });
  });
});

describe('what was delivered', () => {
  test('goes in one step with the journal of its session, which is tried again as one', async () => {
    const { cache, load, fail, heal, marks, stored } = setUp();
    const state = { kind: 'answered', text: 'hej', needsReview: null } as const;
    for (const number of [0, 1]) await cache.add(makeQueueItem({ number, state }));
    fail('markDelivered');
    await cache.markDelivered(
      new Map([
        ['session:0', true],
        ['session:1', true],
      ]),
      'session',
    );
    expect(cache.list()).toEqual([]);
    heal('markDelivered');
    fail('remove');
    await load();
    await settled();
    expect(marks()).toEqual([[['session:0', 'session:1'], 'session']]);
    expect(await stored()).toEqual([]);
    await load();
    await settled();
    expect(marks(), 'once').toHaveLength(1);
  });

  test('leaves the journal while memory alone has something of the session', async () => {
    const { cache, refuse, marks } = setUp();
    const state = { kind: 'answered', text: 'hej', needsReview: null } as const;
    refuse('session:1');
    for (const number of [0, 1]) await cache.add(makeQueueItem({ number, state }));
    await cache.markDelivered(new Map([['session:0', true]]), 'session');
    expect(marks()).toEqual([[['session:0'], null]]);
    await cache.markDelivered(new Map([['session:1', true]]), 'session');
    expect(marks()[1]).toEqual([['session:1'], 'session']);
  });

  test('in part, it stays as doubted, whenever the store takes that', async () => {
    const { cache, load, fail, heal, memory } = setUp();
    const state = { kind: 'answered', text: 'hej', needsReview: null } as const;
    await cache.add(makeQueueItem({ state }));
    fail('markDelivered');
    await cache.markDelivered(new Map([['session:0', 'altered']]));
    await load();
    const doubted = { kind: 'delivered', hasAudio: true, needsReview: 'altered', text: 'hej' };
    expect(cache.head('session:0')?.state).toEqual(doubted);
    heal('markDelivered');
    await load();
    await settled();
    expect((await memory.list())[0]?.state).toEqual(doubted);
  });
});

describe('a change that the store did not take', () => {
  test('stands, and is written when the store works again', async () => {
    const { cache, load, fail, heal, memory } = setUp();
    await cache.add(makeQueueItem());
    fail('update');
    const state = { kind: 'answered', text: 'hej', needsReview: null } as const;
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

test('what a chunk became later is not overtaken by a change that the store took its time for', async () => {
  const { cache, memory, hold, letGo } = setUp();
  await cache.add(makeQueueItem());
  hold('update');
  const transcribed = { kind: 'answered', text: 'half of it', needsReview: null } as const;
  const changing = cache.change('session:0', { state: transcribed });
  await settled();
  const delivering = cache.markDelivered(new Map([['session:0', 'altered']]));
  await settled();
  letGo('update');
  await Promise.all([changing, delivering]);
  expect((await memory.list()).map(({ state }) => state.kind)).toEqual(['delivered']);
});

describe('a chunk that left the queue', () => {
  test.each(['read before', 'not read yet'])(
    'in another tab is not offered here, though the store could not remove it: %s',
    async (when) => {
      const { cache, ids, load, stored, memory } = setUp();
      const item = makeQueueItem();
      await memory.put(item);
      if (when === 'read before') await load();
      cache.settledElsewhere('session:0', item.durationSamples);
      expect(ids()).toEqual([]);
      await load();
      await settled();
      expect(ids()).toEqual([]);
      expect(await stored()).toEqual([]);
    },
  );

  test('in another tab that died before its store knew: its recording gets the text here', async () => {
    const { cache, load, deliveries, memory, stored } = setUp();
    const item = makeQueueItem();
    await memory.put(item);
    const delivery = makeDelivery([[0, deliveredAs('hej')]]);
    cache.deliveredElsewhere(delivery);
    await load();
    await settled();
    expect(deliveries()).toEqual([delivery]);
    expect(await stored()).toEqual([]);
  });

  test('with a needsReview in another tab is not handed over here, whatever the store says', async () => {
    const { cache, load, memory, deliveries } = setUp();
    await memory.put(
      makeQueueItem({ state: { kind: 'answered', text: 'hej', needsReview: null } }),
    );
    await load();
    const state = {
      kind: 'delivered',
      hasAudio: true,
      needsReview: 'altered',
      text: 'hej',
    } as const;
    const delivery = makeDelivery([[0, state]]);
    cache.deliveredElsewhere(delivery);
    await settled();
    expect(deliveries(), 'its recording gets it from whoever lives').toEqual([delivery]);
    await load();
    expect(cache.head('session:0')?.state).toEqual(state);
    expect((await memory.list())[0]?.state).toEqual(state);
  });

  test('does not take along what a recovery has cut anew, and longer, under its name', async () => {
    const { cache, ids, load, stored, memory } = setUp();
    await cache.add(makeQueueItem());
    await cache.remove('session:0', 'delivered');
    const { durationSamples, ...longer } = makeQueueItem();
    await memory.put({ ...longer, durationSamples: durationSamples + 1 });
    await load();
    await settled();
    expect(ids()).toEqual(['session:0']);
    expect(await stored()).toEqual(['session:0']);
  });
});

test('what another tab has cut anew, and longer, stands though this one is at work on it', async () => {
  const { cache, memory } = setUp();
  await cache.add(makeQueueItem());
  const { durationSamples, ...cut } = makeQueueItem();
  await memory.put({ ...cut, durationSamples: durationSamples + 1 });
  await cache.load(() => true);
  expect(cache.head('session:0')?.durationSamples).toBe(durationSamples + 1);
  expect((await cache.fetch('session:0'))?.durationSamples).toBe(durationSamples + 1);
});

test('a chunk that is cut anew, and whose text is in the user’s hands, is in no list', async () => {
  const { cache, closed, ids } = setUp();
  closed.add('session:0');
  await cache.add(makeQueueItem());
  expect(ids()).toEqual([]);
  await cache.add(makeQueueItem({ samples: new Float32Array(32_000) }));
  expect(ids(), 'as long as it was, or longer').toEqual([]);
});
