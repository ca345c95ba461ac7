import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { drainQueue } from '../../workers/offline/drain-queue.ts';
import type { ChunkStore } from '../../workers/store/chunk-store.ts';
import type { QueueTabs } from '../../workers/upload/queue-tabs.ts';
import { createTranscribeRequest } from '../../workers/upload/transcribe-request.ts';
import { createFakeClock, type FakeClock } from '../helpers/fake-clock.ts';
import { createFakeBrowser, type FakeBrowser } from '../helpers/fake-tabs.ts';
import { createMemoryQueueStore } from '../helpers/memory-queue-store.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';
import { createRecordingLog } from '../helpers/recording-log.ts';
import {
  answerError,
  answerText,
  type ServerAction,
  type ServerCall,
  startTestServer,
  type TestServer,
} from '../helpers/transcription-server.ts';
import { createQueueBench } from '../helpers/upload-queue.ts';

// Real sockets, on machines that may be busy.
vi.setConfig({ testTimeout: 20_000 });

const DAY_MS = 86_400_000;
const HANG: ServerAction = { kind: 'hang' };
const echo = (call: ServerCall): ServerAction => answerText(`text of ${call.idempotencyKey}`);

let server: TestServer;
let behave: (call: ServerCall) => ServerAction | Promise<ServerAction>;
let store: ChunkStore;
let browser: FakeBrowser;
let clock: FakeClock;
/** The offset of the date; timers do not see it. */
let setOnMs: number;

beforeEach(async () => {
  behave = echo;
  server = await startTestServer((call) => behave(call));
  store = createMemoryQueueStore();
  browser = createFakeBrowser();
  clock = createFakeClock();
  setOnMs = 0;
  for (const number of [0, 1, 2]) await store.put(makeQueueItem({ dictationId: 'old', number }));
});
afterEach(() => server.close());

/** A service worker that sends, and time that moves on whenever nothing is asked. */
function drain(tabs: QueueTabs = browser.openTab()): Promise<number> {
  let underWay = 0;
  let isOver = false;
  const dated = { after: clock.after, nowMs: () => clock.nowMs() + setOnMs };
  const send = createTranscribeRequest({ url: server.url, clock: dated });
  const drained = drainQueue({
    store,
    tabs,
    clock: dated,
    random: () => 0,
    log: createRecordingLog(),
    request: async (item, signal) => {
      underWay += 1;
      return send(item, signal).finally(() => {
        underWay -= 1;
      });
    },
  }).finally(() => {
    isOver = true;
  });
  const moveOn = async (): Promise<void> => {
    while (!isOver) await clock.advance(underWay === 0 ? 500 : 0);
  };
  void moveOn();
  return drained;
}

const keys = () => server.calls.map(({ idempotencyKey }) => idempotencyKey);

async function states(): Promise<readonly string[]> {
  return (await store.list()).map(({ state }) => state.kind);
}

test('sends all that waits, in the order of speech, once each', async () => {
  expect(await drain()).toBe(3);
  expect(keys()).toEqual(['old:0', 'old:1', 'old:2']);
  expect(await states()).toEqual(['answered', 'answered', 'answered']);
  expect(server.mostOpen.all).toBe(1);
  expect(await drain(), 'called again').toBe(0);
  expect(keys()).toHaveLength(3);
});

test('leaves alone what a page has open', async () => {
  browser.openSessions.add('theirs');
  await store.put(makeQueueItem({ dictationId: 'theirs' }));
  expect(await drain()).toBe(3);
  expect(keys()).not.toContain('theirs:0');
});

test('leaves its turn to a page that sends, and is to be called again', async () => {
  const release = await browser.openTab().takeDrain(new AbortController().signal, {
    isStolen: false,
    onLost: () => {},
  });
  const tab = browser.openTab();
  // As Web Locks do it, and the fake browser does not.
  const takeDrain: QueueTabs['takeDrain'] = (signal, how) =>
    Promise.race([
      tab.takeDrain(signal, how),
      new Promise<undefined>((resolve) => {
        signal.addEventListener('abort', () => resolve(undefined));
      }),
    ]);
  await expect(drain({ ...tab, takeDrain })).rejects.toThrow('A page sends');
  expect(keys()).toEqual([]);
  release?.();
});

test('a page that is opened meanwhile sends nothing twice, and shows the texts', async () => {
  const drained = drain();
  await expect.poll(() => server.calls.length).toBeGreaterThan(0);
  const page = createQueueBench(server, { store, tabs: browser.openTab() });
  page.queue.start();
  expect(await drained).toBe(3);
  await page.until(() => page.head('old:2')?.state.kind === 'answered');
  expect(keys()).toEqual(['old:0', 'old:1', 'old:2']);
  page.queue.dispose();
});

test.each([0, 1, 2])('killed in chunk %i, the next call goes on from there', async (killedIn) => {
  let release: (() => void) | undefined;
  const tab = browser.openTab();
  const tabs: QueueTabs = {
    ...tab,
    async takeDrain(signal, how) {
      release = await tab.takeDrain(signal, how);
      return release;
    },
  };
  behave = (call) => (call.index === killedIn ? HANG : echo(call));
  const { update } = store;
  void drain(tabs);
  await expect
    .poll(() => server.openCalls === 1 && server.calls.length === killedIn + 1)
    .toBe(true);
  // Dead: nothing of it reaches the store any more, and the browser gives its lock back.
  const dead = store;
  store = { ...store, update };
  dead.update = () => new Promise(() => {});
  release?.();

  behave = echo;
  expect(await drain()).toBe(3 - killedIn);
  const asked = ['old:0', 'old:1', 'old:2'];
  expect(keys()).toEqual([...asked.slice(0, killedIn + 1), ...asked.slice(killedIn)]);
  expect(await states()).toEqual(['answered', 'answered', 'answered']);
});

test.each([DAY_MS, -DAY_MS])('a clock that jumps by %i ms stops nothing', async (byMs) => {
  const state = {
    kind: 'pending',
    nextAttemptAtMs: clock.nowMs() + 600_000,
    lastError: null,
  } as const;
  await store.put(makeQueueItem({ dictationId: 'old', number: 1, rounds: 2, state }));
  behave = (call) => {
    setOnMs += byMs;
    return echo(call);
  };
  expect(await drain()).toBe(3);
  expect(keys()).toEqual(['old:0', 'old:1', 'old:2']);
});

test("what is too large is the person's to decide; the rest is sent", async () => {
  behave = (call) => (call.idempotencyKey === 'old:1' ? answerError(413, 'too_large') : echo(call));
  expect(await drain()).toBe(2);
  expect(keys()).toEqual(['old:0', 'old:1', 'old:2']);
  expect(await states()).toEqual(['answered', 'refused', 'answered']);
});

test('a server that is away again: all wait, and it is to be called again', async () => {
  behave = () => answerError(503, 'unavailable');
  await expect(drain()).rejects.toThrow('still waits');
  expect(await states()).toEqual(['pending', 'pending', 'pending']);
});

test('a server that will not have us is asked once', async () => {
  behave = () => answerError(401, 'unauthorised');
  expect(await drain()).toBe(0);
  expect(keys()).toEqual(['old:0']);
  expect(await states()).toEqual(['pending', 'pending', 'pending']);
});

test('a text that the store does not take: its chunk waits, and it is to be called again', async () => {
  store.update = () => Promise.reject(new Error('Full'));
  await expect(drain()).rejects.toThrow('written down');
  expect(await states()).toEqual(['pending', 'pending', 'pending']);
});

test('what is deleted meanwhile is not sent, nor what comes after "Radera allt"', async () => {
  const page = browser.openTab();
  behave = async (call) => {
    if (call.idempotencyKey === 'old:0') {
      await store.remove('old:1');
      page.post({
        kind: 'settled',
        id: 'old:1',
        how: 'deleted',
        durationSamples: 16_000,
      });
      return echo(call);
    }
    page.post({ kind: 'wiped', spared: new Set(), askedAtMs: 0 });
    return HANG;
  };
  await store.put(makeQueueItem({ dictationId: 'old', number: 3 }));
  await expect(drain()).rejects.toThrow('still waits');
  expect(keys()).toEqual(['old:0', 'old:2']);
  await expect.poll(() => server.openCalls).toBe(0);
});

test('what is deleted while it is sent holds nothing up', async () => {
  const page = browser.openTab();
  behave = async (call) => {
    if (call.idempotencyKey !== 'old:0') return echo(call);
    await store.remove('old:0');
    page.post({ kind: 'settled', id: 'old:0', how: 'deleted', durationSamples: 16_000 });
    return HANG;
  };
  expect(await drain()).toBe(2);
  expect(keys()).toEqual(['old:0', 'old:1', 'old:2']);
});

test('tells a page that waits for its turn that it lives', async () => {
  const page = browser.openTab();
  const heard: string[] = [];
  page.listen(({ kind }) => heard.push(kind), new AbortController().signal);
  behave = (call) => {
    page.post({ kind: 'sender-asked' });
    return echo(call);
  };
  await drain();
  expect(heard.filter((kind) => kind === 'sender-lives')).toHaveLength(3);
});
