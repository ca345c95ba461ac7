import { expect, onTestFinished, test } from 'vitest';
import { createMemoryQueueStore } from '../../workers/upload/memory-queue-store.ts';
import { createFakeBrowser } from '../helpers/fake-tabs.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';
import { answerText, startTestServer } from '../helpers/transcription-server.ts';
import { createQueueBench } from '../helpers/upload-queue.ts';

const DONE = { kind: 'transcribed', text: 'hej', doubt: null } as const;

/** Two tabs on one store that holds a text. */
async function twoTabs() {
  const server = await startTestServer(() => answerText('hej'));
  const store = createMemoryQueueStore();
  await store.put(makeQueueItem({ sessionId: 's', number: 0, state: DONE }));
  await store.put(makeQueueItem({ sessionId: 's', number: 1, state: { ...DONE, text: 'då' } }));
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
  expect(claimed.filter((text) => text !== null)).toEqual(['hej\ndå']);
  await first.settle('s', true);
  await second.settle('s', true);
  expect(await store.list()).toEqual([]);
  expect(await first.claim('s')).toBeNull();
  expect(await second.claim('s')).toBeNull();
});

test('a text that could not be inserted is there for the next', async () => {
  const { store, first, second } = await twoTabs();
  expect(await first.claim('s')).toBe('hej\ndå');
  expect(await second.claim('s')).toBeNull();
  await first.settle('s', false);
  expect(await second.claim('s')).toBe('hej\ndå');
  expect(await store.list()).toHaveLength(2);
});

test('what another tab records now is neither shown nor given', async () => {
  const { browser, second } = await twoTabs();
  browser.openSessions.add('s');
  expect(await second.claim('s')).toBeNull();
  expect(second.snapshot().items).toEqual([]);
});
