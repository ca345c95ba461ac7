import { expect, onTestFinished, test } from 'vitest';
import type { UploadQueue } from '../../workers/upload/upload-queue.ts';
import { createFakeBrowser } from '../helpers/fake-tabs.ts';
import { createMemoryQueueStore } from '../helpers/memory-queue-store.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';
import { answerText, startTestServer } from '../helpers/transcription-server.ts';
import { createQueueBench } from '../helpers/upload-queue.ts';

const DONE = { kind: 'answered', text: 'hej', needsReview: null } as const;

const BOTH = {
  text: 'hej\ndå',
  chunks: new Map([
    [0, null],
    [1, null],
  ]),
};

/** A page tells of the text that it has inserted. */
const deliver = (queue: UploadQueue) => queue.markDelivered('s', true, BOTH.chunks, 'waits');

/** Two tabs on one store that holds a text. */
async function twoTabs() {
  const server = await startTestServer(() => answerText('hej'));
  const store = createMemoryQueueStore();
  await store.put(makeQueueItem({ dictationId: 's', number: 0, state: DONE }));
  await store.put(makeQueueItem({ dictationId: 's', number: 1, state: { ...DONE, text: 'då' } }));
  const browser = createFakeBrowser();
  const open = () => createQueueBench(server, { store, tabs: browser.openTab() });
  const benches = [open(), open()] as const;
  onTestFinished(async () => {
    for (const { queue } of benches) queue.dispose();
    await server.close();
  });
  for (const { queue, until } of benches) await until(() => queue.snapshot().isLoaded);
  return { store, browser, first: benches[0].queue, second: benches[1].queue };
}

test('one tab alone gets a text, and nobody after it was inserted', async () => {
  const { store, first, second } = await twoTabs();
  const claimed = await Promise.all([first.claim('s'), second.claim('s'), first.claim('s')]);
  expect(claimed.filter((text) => text !== null)).toEqual([BOTH]);
  await deliver(first);
  await deliver(second);
  expect(await store.list()).toEqual([]);
  expect(await first.claim('s')).toBeNull();
  expect(await second.claim('s')).toBeNull();
});

test('nobody gets a text that is being settled, however long the store takes', async () => {
  const { store, first } = await twoTabs();
  const { list } = store;
  const held: (() => void)[] = [];
  store.list = () => new Promise((resolve) => held.push(() => resolve(list())));
  const settled = deliver(first);
  const claimed = first.claim('s');
  await expect.poll(() => held.length).toBeGreaterThan(0);
  store.list = list;
  // What was asked for last is answered first.
  for (const answer of held.reverse()) {
    answer();
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  await settled;
  expect(await claimed).toBeNull();
  expect(await store.list()).toEqual([]);
});

test('a text that could not be inserted is there for the next', async () => {
  const { store, first, second } = await twoTabs();
  expect(await first.claim('s')).toEqual(BOTH);
  expect(await second.claim('s')).toBeNull();
  await first.endClaim('s');
  expect(await second.claim('s')).toEqual(BOTH);
  expect(await store.list()).toHaveLength(2);
});

test('a text before which another is still to come is not given: it would stand in the wrong place', async () => {
  const { store, first } = await twoTabs();
  const error = { code: 'http-network', message: 'none' } as const;
  const waits = { kind: 'pending', nextAttemptAtMs: Number.MAX_VALUE, lastError: error } as const;
  await store.put(makeQueueItem({ dictationId: 'late', number: 0, state: waits }));
  await store.put(makeQueueItem({ dictationId: 'late', number: 1, state: DONE }));
  expect(await first.claim('late')).toBeNull();
  await store.put(makeQueueItem({ dictationId: 'late', number: 0, state: DONE }));
  await store.put(makeQueueItem({ dictationId: 'late', number: 1, state: waits }));
  await first.look();
  expect(await first.claim('late')).toEqual({ text: 'hej', chunks: new Map([[0, null]]) });
});

test('what another tab records now is neither shown nor given', async () => {
  const { browser, second } = await twoTabs();
  browser.openSessions.add('s');
  expect(await second.claim('s')).toBeNull();
  expect(second.snapshot().items).toEqual([]);
});

test('a text that a dead worker gave: the next settles those chunks, and not what came after the claim', async () => {
  const { store, browser, first, second } = await twoTabs();
  expect(await first.claim('s')).toEqual(BOTH);
  await store.put(makeQueueItem({ dictationId: 's', number: 2, state: { ...DONE, text: 'sen' } }));
  first.dispose();
  // The page that inserts it keeps other tabs from the session meanwhile.
  browser.openSessions.add('s');
  await deliver(second);
  await deliver(second);
  expect((await store.list()).map(({ number }) => number)).toEqual([2]);
});

test('a chunk that was cut anew since is not what was inserted: it stays', async () => {
  const { store, first } = await twoTabs();
  expect(await first.claim('s')).toEqual(BOTH);
  const anew = makeQueueItem({ dictationId: 's', number: 1, samples: new Float32Array(32_000) });
  await first.enqueue(anew);
  await deliver(first);
  expect((await store.list()).map(({ id }) => id)).toEqual(['s:1']);
});

test('what a dead worker had stored of a chunk is not given up for less of it', async () => {
  const { store, first } = await twoTabs();
  const whole = makeQueueItem({ dictationId: 'dead', samples: new Float32Array(48_000) });
  await store.put(whole);
  await first.look();
  await first.enqueue(makeQueueItem({ dictationId: 'dead' }));
  expect((await store.get('dead:0'))?.durationSamples).toBe(48_000);
  const longer = makeQueueItem({ dictationId: 'dead', samples: new Float32Array(64_000) });
  await first.enqueue(longer);
  expect((await store.get('dead:0'))?.durationSamples).toBe(64_000);
});

test('while a person takes a text, what becomes of an earlier try leaves the claim alone', async () => {
  const { first, second } = await twoTabs();
  expect(await first.claim('s')).toEqual(BOTH);
  await first.markDelivered('s', true, new Map([[0, null]]), 'waits');
  expect(await second.claim('s'), 'the rest is being inserted').toBeNull();
  await first.endClaim('s');
  expect(await second.claim('s')).toEqual({ text: 'då', chunks: new Map([[1, null]]) });
});
