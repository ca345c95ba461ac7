import { afterEach, expect, test, vi } from 'vitest';
import type { ChunkState } from '../../src/core/queue/queue-item.ts';
import { createFakeBrowser } from '../helpers/fake-tabs.ts';
import { createMemoryQueueStore } from '../helpers/memory-queue-store.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';
import { answerText, startTestServer, type TestServer } from '../helpers/transcription-server.ts';
import { createQueueBench, deliverAll, type QueueBench } from '../helpers/upload-queue.ts';

// Real sockets, on machines that may be busy.
vi.setConfig({ testTimeout: 20_000 });

const SENDING: ChunkState = { kind: 'pending', isSending: true };
const ERROR = { code: 'http-status', message: '400' } as const;

let server: TestServer;
let bench: QueueBench;
afterEach(async () => {
  bench.queue.dispose();
  await server.close();
});

/** A queue that finds what a dead worker left of the open session 's', and sends what it may. */
async function setUp(states: readonly ChunkState[]): Promise<QueueBench> {
  server = await startTestServer((call) => answerText(`text of ${call.idempotencyKey}`));
  const store = createMemoryQueueStore();
  for (const [number, state] of states.entries()) {
    await store.put(makeQueueItem({ dictationId: 's', number, state }));
  }
  const browser = createFakeBrowser();
  browser.openSessions.add('s');
  bench = createQueueBench(server, { store, tabs: browser.openTab() });
  bench.queue.start();
  return bench;
}

test('what the dead worker had sent goes on, in order, each chunk once', async () => {
  const { queue, store, attempts } = await setUp([
    { kind: 'answered', text: 'first', needsReview: null },
    SENDING,
    { kind: 'pending', nextAttemptAtMs: 0, lastError: null },
  ]);
  const chunks = (await queue.resume('s')) ?? [];
  expect(chunks.map(({ number }) => number)).toEqual([0, 1, 2]);
  expect(chunks[0]?.outcome).toMatchObject({ kind: 'answered', text: 'first', needsReview: null });
  const outcomes = await Promise.all(chunks.map(({ outcome }) => outcome));
  expect(outcomes.map((outcome) => outcome.kind === 'answered' && outcome.text)).toEqual([
    'first',
    'text of s:1',
    'text of s:2',
  ]);
  await queue.submit(makeQueueItem({ dictationId: 's', number: 3 }));
  expect(attempts.map(({ id }) => id)).toEqual(['s:1', 's:2', 's:3']);
  await deliverAll(queue, 's', true);
  expect(await store.list()).toEqual([]);
});

test('what had left the session stays with the backlog and the user', async () => {
  const { queue, attempts } = await setUp([
    { kind: 'refused', error: ERROR },
    { kind: 'pending', nextAttemptAtMs: Number.MAX_SAFE_INTEGER, lastError: ERROR },
  ]);
  const chunks = (await queue.resume('s')) ?? [];
  expect(chunks.map(({ outcome }) => outcome)).toMatchObject([
    { kind: 'left', error: ERROR },
    { kind: 'left', error: ERROR },
  ]);
  expect(attempts.filter(({ id }) => id === 's:0')).toEqual([]);
});

test('a store that cannot be read is no store without chunks', async () => {
  server = await startTestServer(() => answerText('hej'));
  const list = () => Promise.reject(new Error('unreadable'));
  const store = { ...createMemoryQueueStore(), list };
  bench = createQueueBench(server, { store, tabs: createFakeBrowser().openTab() });
  expect(await bench.queue.resume('s')).toBeNull();
});
