import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest';
import type { ChunkStore } from '../../workers/store/chunk-store.ts';
import { createFakeBrowser, type FakeBrowser } from '../helpers/fake-tabs.ts';
import { createMemoryQueueStore } from '../helpers/memory-queue-store.ts';
import { isSending, makeQueueItem } from '../helpers/queue-items.ts';
import {
  answerError,
  answerText,
  type ServerAction,
  type ServerCall,
  startTestServer,
  type TestServer,
} from '../helpers/transcription-server.ts';
import { createQueueBench, type QueueBench } from '../helpers/upload-queue.ts';

// Real sockets, on machines that may be busy.
vi.setConfig({ testTimeout: 20_000 });

const echo = (call: ServerCall): ServerAction => answerText(`text of ${call.idempotencyKey}`);
const down = () => answerError(503, 'down');

let server: TestServer;
let behave: (call: ServerCall) => ServerAction;
let store: ChunkStore;
let browser: FakeBrowser;
let benches: QueueBench[];

beforeEach(async () => {
  behave = echo;
  server = await startTestServer((call) => behave(call));
  store = createMemoryQueueStore();
  browser = createFakeBrowser();
  benches = [];
});
afterEach(async () => {
  for (const { queue } of benches) queue.dispose();
  await server.close();
});

function openTab(): QueueBench {
  const bench = createQueueBench(server, { store, tabs: browser.openTab() });
  benches.push(bench);
  bench.queue.start();
  return bench;
}

const isTranscribed = (bench: QueueBench, id: string) => bench.head(id)?.state.kind === 'answered';

/** A chunk that is not due for a quarter of an hour. */
const putOff = async () => {
  const lastError = { code: 'http-network', message: 'down' } as const;
  const state = { kind: 'pending', nextAttemptAtMs: 1_700_000_900_000, lastError } as const;
  await store.put(makeQueueItem({ dictationId: 'old', state }));
};

describe('a wake', () => {
  it('before this tab has its turn is acted on when it has', async () => {
    const first = openTab();
    await first.clock.advance(0);
    await putOff();
    const second = openTab();
    await second.clock.advance(0);
    second.queue.wake();
    await second.clock.advance(0);
    first.queue.dispose();
    await second.until(() => isTranscribed(second, 'old:0'));
    expect(second.clock.nowMs(), 'at once').toBe(1_700_000_000_000);
  });

  it('in any tab reaches the one that sends', async () => {
    await putOff();
    const sender = openTab();
    await sender.clock.advance(0);
    const other = openTab();
    await other.clock.advance(0);
    expect(server.calls).toEqual([]);
    other.queue.wake();
    await other.until(() => isTranscribed(other, 'old:0'));
    expect(sender.attempts).toHaveLength(1);
  });
});

test('a chunk of a live session that gets through wakes what waits', async () => {
  await putOff();
  const tab = openTab();
  await tab.until(() => tab.head('old:0') !== undefined);
  expect(await tab.queue.submit(makeQueueItem())).toMatchObject({ kind: 'answered' });
  await tab.until(() => isTranscribed(tab, 'old:0'));
  expect(tab.clock.nowMs(), 'at once').toBe(1_700_000_000_000);
});

describe('a retry of one chunk', () => {
  it.each([
    ['in the tab that sends', false],
    ['in another tab', true],
  ])('%s asks for that one first, whatever else waits and fails', async (_where, isElsewhere) => {
    const lastError = { code: 'http-network', message: 'down' } as const;
    const state = { kind: 'pending', nextAttemptAtMs: 1_700_000_900_000, lastError } as const;
    for (const number of [0, 1, 2])
      await store.put(makeQueueItem({ dictationId: 'old', number, state }));
    const sender = openTab();
    await sender.clock.advance(0);
    const asker = isElsewhere ? openTab() : sender;
    await asker.until(() => asker.head('old:1') !== undefined);
    behave = (call) => (call.idempotencyKey === 'old:1' ? echo(call) : { kind: 'hang' });
    await asker.queue.retry('old:1');
    await asker.until(() => isTranscribed(asker, 'old:1'));
    expect(sender.attempts[0]?.id).toBe('old:1');
  });

  it('that fails wakes nothing else', async () => {
    behave = down;
    const lastError = { code: 'http-network', message: 'down' } as const;
    const state = { kind: 'pending', nextAttemptAtMs: 1_700_000_900_000, lastError } as const;
    for (const number of [0, 1])
      await store.put(makeQueueItem({ dictationId: 'old', number, state }));
    const tab = openTab();
    await tab.until(() => tab.head('old:1') !== undefined);
    await tab.queue.retry('old:1');
    await tab.advanceUntil(() => tab.attempts.length === 4 && tab.queue.needsServer());
    expect(new Set(tab.attempts.map(({ id }) => id))).toEqual(new Set(['old:1']));
  });

  it('is made while the rest is left alone after a failure', async () => {
    behave = down;
    for (const number of [0, 1]) await store.put(makeQueueItem({ dictationId: 'old', number }));
    const tab = openTab();
    await tab.advanceUntil(() => tab.attempts.length === 4 && tab.queue.needsServer());
    const sinceMs = tab.clock.nowMs();
    behave = echo;
    await tab.queue.retry('old:1');
    await tab.until(() => isTranscribed(tab, 'old:1'));
    expect(tab.clock.nowMs(), 'at once').toBe(sinceMs);
    expect(tab.attempts[4]?.id).toBe('old:1');
  });
});

describe('a server that is looked for', () => {
  it('is needed where something waits for it, by the tab that sends', async () => {
    const tabs = [openTab(), openTab()] as const;
    await tabs[0].clock.advance(0);
    expect(tabs[0].queue.needsServer()).toBe(false);
    await putOff();
    tabs[0].queue.sessionClosed();
    for (const tab of tabs) await tab.until(() => tab.head('old:0') !== undefined);
    expect(tabs.map(({ queue }) => queue.needsServer())).toEqual([true, false]);
  });

  it('gets what waits as soon as it is seen', async () => {
    behave = down;
    await store.put(makeQueueItem({ dictationId: 'old' }));
    const tab = openTab();
    await tab.advanceUntil(() => tab.attempts.length === 4 && tab.queue.needsServer());
    tab.queue.serverSeen('nobody');
    const sinceMs = tab.clock.nowMs();
    behave = echo;
    tab.queue.serverSeen('somebody');
    await tab.until(() => isTranscribed(tab, 'old:0'));
    expect(tab.clock.nowMs()).toBe(sinceMs);
    expect(tab.queue.needsServer()).toBe(false);
  });

  it('gets what waits as soon as it is seen, though the clock was set back an hour', async () => {
    behave = down;
    await store.put(makeQueueItem({ dictationId: 'old' }));
    const tab = openTab();
    await tab.advanceUntil(() => tab.attempts.length === 4 && tab.queue.needsServer());
    tab.clock.jump(-3_600_000);
    tab.queue.serverSeen('nobody');
    behave = echo;
    tab.queue.serverSeen('somebody');
    await tab.until(() => isTranscribed(tab, 'old:0'));
  });

  it('gets again what hung, though the clock was set back an hour meanwhile', async () => {
    behave = () => ({ kind: 'hang' });
    await store.put(makeQueueItem({ dictationId: 'old' }));
    const tab = openTab();
    await tab.until(() => server.openCalls === 1);
    tab.clock.jump(-3_600_000);
    expect(tab.queue.needsServer(), 'nobody knows for how long nothing came').toBe(true);
    tab.queue.serverSeen('nobody');
    behave = echo;
    tab.queue.serverSeen('somebody');
    await tab.until(() => tab.clock.waits().includes(300));
    await tab.clock.advance(300);
    await tab.until(() => isTranscribed(tab, 'old:0'));
  });

  it('that is well and fails is tried within 5 s of its return, for two minutes', async () => {
    behave = () => answerError(500, 'broken');
    await store.put(makeQueueItem({ dictationId: 'old' }));
    const tab = openTab();
    await tab.advanceUntil(() => tab.attempts.length === 4 && tab.queue.needsServer());
    const backAtMs = tab.clock.nowMs() + 110_000;
    while (!isTranscribed(tab, 'old:0')) {
      if (tab.clock.nowMs() >= backAtMs) behave = echo;
      tab.queue.serverSeen('ready');
      await tab.clock.advance(0);
      await tab.until(() => !isSending(tab.head('old:0')));
      await tab.clock.advance(1_600);
    }
    const times = tab.attempts.map(({ atMs }) => atMs);
    expect((times.at(-1) ?? 0) - backAtMs).toBeLessThanOrEqual(5_000);
    const pauses = times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0));
    expect(Math.min(...pauses.slice(4)), 'one request at a time').toBeGreaterThanOrEqual(3_000);
  });

  it('that is well and takes nothing is tried ever more rarely', async () => {
    behave = () => answerError(500, 'broken');
    await store.put(makeQueueItem({ dictationId: 'old' }));
    const tab = openTab();
    await tab.advanceUntil(() => tab.attempts.length === 4);
    const HOUR_LOOKS = 1_800;
    const startMs = tab.clock.nowMs();
    for (let look = 0; look < HOUR_LOOKS; look += 1) {
      tab.queue.serverSeen('somebody');
      const underWay = () => isSending(tab.head('old:0'));
      await tab.clock.advance(2_000);
      while (underWay())
        await tab
          .until(() => !underWay() || tab.clock.waits().length > 1)
          .then(() => tab.clock.advance(300));
    }
    const late = tab.attempts.filter(({ atMs }) => atMs > startMs + 120_000);
    expect(late.length, 'in an hour').toBeLessThan(15);
  });

  it('that a portal stood in for is tried at once when it is seen itself', async () => {
    behave = () => ({ kind: 'answer', status: 200, body: '<html>Wi-Fi login</html>' });
    await store.put(makeQueueItem({ dictationId: 'old' }));
    const tab = openTab();
    await tab.advanceUntil(() => tab.attempts.length === 4 && tab.queue.needsServer());
    tab.queue.serverSeen('somebody');
    await tab.until(() => tab.attempts.length === 5 && tab.queue.needsServer());
    expect(tab.queue.snapshot().isUnauthorised, 'said as a sign-in').toBe(true);
    await tab.clock.advance(20_000);
    tab.queue.serverSeen('somebody');
    await tab.clock.advance(0);
    expect(tab.head('old:0')?.state.kind, 'not yet').toBe('pending');
    behave = echo;
    tab.queue.serverSeen('ready');
    await tab.until(() => isTranscribed(tab, 'old:0'));
  });

  it('that asked for a pause gets it', async () => {
    behave = () => answerError(503, 'loading', { 'Retry-After': '20' });
    await store.put(makeQueueItem({ dictationId: 'old' }));
    const tab = openTab();
    await tab.advanceUntil(() => tab.attempts.length === 4 && tab.queue.needsServer());
    behave = echo;
    tab.queue.serverSeen('somebody');
    await tab.clock.advance(19_000);
    tab.queue.serverSeen('somebody');
    await tab.clock.advance(0);
    expect(tab.attempts).toHaveLength(4);
    await tab.clock.advance(1_000);
    tab.queue.serverSeen('somebody');
    await tab.until(() => isTranscribed(tab, 'old:0'));
  });

  it('is asked anew for what it was asked while nobody was there, and for nothing else', async () => {
    behave = () => ({ kind: 'hang' });
    await store.put(makeQueueItem({ dictationId: 'old' }));
    const tab = openTab();
    await tab.until(() => server.openCalls === 1);
    await tab.clock.advance(10_000);
    expect(tab.queue.needsServer(), 'nothing came for 10 s').toBe(true);
    tab.queue.serverSeen('somebody');
    await tab.clock.advance(1_000);
    expect(tab.attempts, 'slow, perhaps').toHaveLength(1);
    tab.queue.serverSeen('nobody');
    behave = echo;
    await tab.clock.advance(2_000);
    tab.queue.serverSeen('somebody');
    await tab.clock.advance(0);
    await tab.until(() => tab.clock.waits().includes(300));
    await tab.clock.advance(300);
    await tab.until(() => isTranscribed(tab, 'old:0'));
    expect(tab.attempts.map(({ id }) => id)).toEqual(['old:0', 'old:0']);
  });
});
