import { beforeEach, describe, expect, it } from 'vitest';
import type { ChunkStore } from '../../workers/store/chunk-store.ts';
import { deliveredAs, makeDelivery } from './deliveries.ts';
import { makeQueueItem } from './queue-items.ts';

/** What every queue store must do. `createStore` gives an empty one. */
export function describeQueueStore(
  name: string,
  createStore: () => ChunkStore | Promise<ChunkStore>,
): void {
  describe(`${name} is a queue store`, () => {
    let store: ChunkStore;
    beforeEach(async () => {
      store = await createStore();
    });

    const idsInOrder = async () => (await store.list()).map((head) => head.id);

    it('gives back what was put, byte for byte', async () => {
      const samples = Float32Array.from({ length: 500 }, (_, index) => Math.sin(index));
      const item = makeQueueItem({ samples });
      await store.put(item);
      const found = await store.get(item.id);
      expect(found).toEqual(item);
      expect(new Uint8Array(found!.audio.bytes)).toEqual(new Uint8Array(item.audio.bytes));
    });

    it('lists heads without audio', async () => {
      const { audio: _audio, ...head } = makeQueueItem();
      await store.put(makeQueueItem());
      expect(await store.list()).toEqual([head]);
    });

    it('lists the oldest first: by creation, then number', async () => {
      const items = [
        makeQueueItem({ dictationId: 'late', number: 0, createdAtMs: 900 }),
        makeQueueItem({ dictationId: 'early', number: 10, createdAtMs: 300 }),
        makeQueueItem({ dictationId: 'early', number: 2, createdAtMs: 200 }),
      ];
      for (const item of items) await store.put(item);
      expect(await idsInOrder()).toEqual(['early:2', 'early:10', 'late:0']);
    });

    it('replaces an item that is put again', async () => {
      await store.put(makeQueueItem());
      await store.put(makeQueueItem({ rounds: 7, samples: new Float32Array(10) }));
      expect(await idsInOrder()).toEqual(['session:0']);
      const found = await store.get('session:0');
      expect(found).toMatchObject({ rounds: 7, durationSamples: 10 });
      expect(found?.audio.bytes.byteLength).toBe(44 + 20);
    });

    it('updates what stands beside the audio, and only that', async () => {
      const item = makeQueueItem();
      await store.put(item);
      const state = { kind: 'answered', text: 'hej', needsReview: null } as const;
      await store.update(item.id, { rounds: 2, state });
      expect(await store.get(item.id)).toEqual({ ...item, rounds: 2, state });
      await store.update(item.id, { rounds: 3 });
      expect(await store.get(item.id)).toEqual({ ...item, rounds: 3, state });
    });

    it('does not bring back what is gone', async () => {
      await store.put(makeQueueItem());
      await store.remove('session:0');
      await store.update('session:0', { rounds: 1 });
      expect(await store.list()).toEqual([]);
      expect(await store.get('session:0')).toBeUndefined();
      await store.remove('session:0');
    });

    it('settles what was delivered: some go, some stay as doubted', async () => {
      for (const number of [0, 1, 2]) await store.put(makeQueueItem({ number }));
      const state = {
        kind: 'delivered',
        hasAudio: true,
        needsReview: 'altered',
        text: 'hej',
      } as const;
      const delivery = makeDelivery([
        [0, deliveredAs('words')],
        [1, state],
        [7, state],
      ]);
      expect(await store.markDelivered(delivery)).toBeNull();
      expect(await idsInOrder()).toEqual(['session:1', 'session:2']);
      expect(await store.get('session:1')).toEqual({ ...makeQueueItem({ number: 1 }), state });
    });

    it('keeps what many put at once', async () => {
      const numbers = Array.from({ length: 40 }, (_, number) => number);
      await Promise.all(numbers.map((number) => store.put(makeQueueItem({ number }))));
      await Promise.all(numbers.map((number) => store.update(`session:${number}`, { rounds: 1 })));
      const heads = await store.list();
      expect(heads.map(({ number }) => number)).toEqual(numbers);
      expect(heads.every(({ rounds }) => rounds === 1)).toBe(true);
    });
  });
}
