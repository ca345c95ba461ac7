import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDeferred } from '../../src/core/async.ts';
import { createOwnerScope } from '../../src/core/queue/owner.ts';
import type { ChunkStore } from '../../workers/store/chunk-store.ts';
import { createQueueChannel, type QueueMessage } from '../../workers/upload/queue-tabs.ts';
import { createFakeBrowser, type FakeBrowser } from '../helpers/fake-tabs.ts';
import { createMemoryQueueStore } from '../helpers/memory-queue-store.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';
import {
  answerError,
  answerText,
  type ServerAction,
  type ServerCall,
  startTestServer,
  type TestServer,
} from '../helpers/transcription-server.ts';
import { until } from '../helpers/until.ts';
import { createQueueBench, deliverAll, type QueueBench } from '../helpers/upload-queue.ts';

// Real sockets, on machines that may be busy.
vi.setConfig({ testTimeout: 20_000 });

const echo = (call: ServerCall): ServerAction => answerText(`text of ${call.idempotencyKey}`);

describe('queues in several tabs', () => {
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

  const isTranscribed = (bench: QueueBench, id: string) =>
    bench.head(id)?.state.kind === 'answered';

  it('send a chunk once, and all show its text', async () => {
    for (const number of [0, 1, 2]) await store.put(makeQueueItem({ dictationId: 'old', number }));
    const tabs = [openTab(), openTab(), openTab()];
    for (const tab of tabs) await tab.until(() => isTranscribed(tab, 'old:2'));
    expect(server.calls.map((call) => call.idempotencyKey)).toEqual(['old:0', 'old:1', 'old:2']);
  });

  it('send once what storage took only after its session had stopped waiting', async () => {
    const sender = openTab();
    await sender.until(() => sender.queue.snapshot().isLoaded);
    const bench = openTab();
    const stored = createDeferred();
    const put = store.put;
    store.put = async (item) => {
      await stored.promise;
      return put(item);
    };
    browser.openSessions.add('s');
    const outcome = bench.queue.submit(makeQueueItem({ dictationId: 's' }));
    await bench.clock.advance(0);
    bench.queue.stopWaiting('s');
    expect(await outcome).toMatchObject({ kind: 'left' });
    browser.openSessions.delete('s');
    stored.resolve();
    await sender.until(() => isTranscribed(sender, 's:0'));
    await bench.until(() => isTranscribed(bench, 's:0'));
    expect(server.calls.map((call) => call.idempotencyKey)).toEqual(['s:0']);
  });

  it('take over from a tab that is closed', async () => {
    const first = openTab();
    const second = openTab();
    await first.clock.advance(0);
    first.queue.dispose();
    await store.put(makeQueueItem({ dictationId: 'old' }));
    second.queue.wake();
    await second.until(() => isTranscribed(second, 'old:0'));
  });

  it('leave a session alone while its tab has it open', async () => {
    const first = openTab();
    browser.openSessions.add('theirs');
    await store.put(makeQueueItem({ dictationId: 'theirs' }));
    first.queue.wake();
    await first.clock.advance(120_000);
    expect(first.attempts).toEqual([]);
    browser.openSessions.delete('theirs');
    await first.advanceUntil(() => isTranscribed(first, 'theirs:0'));
  });

  it('list what another let go, whichever sends', async () => {
    await openTab().clock.advance(0);
    const other = openTab();
    browser.openSessions.add('theirs');
    const state = { kind: 'answered', text: 'hej', needsReview: null } as const;
    await store.put(makeQueueItem({ dictationId: 'theirs', state }));
    other.queue.wake();
    await other.clock.advance(0);
    expect(other.head('theirs:0')).toBeUndefined();
    // Its message came before its lock was seen to be free.
    browser.openSessions.delete('theirs');
    await other.advanceUntil(() => isTranscribed(other, 'theirs:0'));
  });

  it('settle what was inserted when the store can be read again', async () => {
    const state = { kind: 'answered', text: 'hej', needsReview: null } as const;
    await store.put(makeQueueItem({ dictationId: 'old', state }));
    const { list } = store;
    store.list = () => Promise.reject(new Error('Not now'));
    const bench = openTab();
    await bench.queue.markDelivered('old', true, new Map([[0, null]]), 'waits');
    store.list = list;
    bench.queue.wake();
    await bench.until(() => bench.states.at(-1)?.isLoaded === true && bench.queue.cache.isRead);
    await expect.poll(() => list()).toEqual([]);
    expect(
      bench.states.flatMap(({ items }) => items),
      'offered again',
    ).toEqual([]);
  });

  it('ask anew when a recovery has cut a chunk longer while it was asked for', async () => {
    const bench = openTab();
    const longer = makeQueueItem({ dictationId: 'old' });
    behave = (call) => {
      if (server.calls.length === 1) {
        const cut = { ...longer, durationSamples: longer.durationSamples + 1 };
        void bench.queue.enqueue(cut);
      }
      return echo(call);
    };
    await store.put(longer);
    bench.queue.wake();
    await bench.until(() => isTranscribed(bench, 'old:0'));
    expect(bench.attempts).toHaveLength(2);
    expect(bench.head('old:0')?.durationSamples).toBe(longer.durationSamples + 1);
  });

  it('leave an answer without a word alone too, as long as its tab has the session open', async () => {
    browser.openSessions.add('theirs');
    const state = { kind: 'answered', text: '', needsReview: null } as const;
    await store.put(makeQueueItem({ dictationId: 'theirs', state }));
    const first = openTab();
    await first.until(() => first.queue.snapshot().isLoaded);
    await first.clock.advance(120_000);
    expect(await store.list()).toHaveLength(1);
    browser.openSessions.delete('theirs');
    first.queue.wake();
    await first.clock.advance(0);
    expect(await store.list()).toEqual([]);
  });

  it('send their own sessions whoever drains', async () => {
    const drainer = openTab();
    await drainer.clock.advance(0);
    const other = openTab();
    browser.openSessions.add('session');
    expect(await other.queue.submit(makeQueueItem())).toMatchObject({ kind: 'answered' });
    expect(server.calls).toHaveLength(1);
    await deliverAll(other.queue, 'session', true);
    await drainer.until(() => drainer.head('session:0') === undefined);
  });

  it('have a retry in one done by the one that drains', async () => {
    behave = () => answerError(401, 'sign-in');
    await store.put(makeQueueItem({ dictationId: 'old' }));
    const drainer = openTab();
    await drainer.until(() => drainer.queue.snapshot().isUnauthorised);
    const other = openTab();
    behave = echo;
    await other.queue.retry(null);
    await other.until(() => isTranscribed(other, 'old:0'));
    expect(drainer.attempts).toHaveLength(2);
    expect(other.attempts).toHaveLength(0);
  });

  it('keep what another records when everything is deleted, what has failed included', async () => {
    const [first, second] = [openTab(), openTab()];
    browser.openSessions.add('session');
    behave = () => answerError(422, 'bad');
    expect(await second.queue.submit(makeQueueItem())).toMatchObject({ kind: 'left' });
    behave = echo;
    await second.queue.submit(makeQueueItem({ number: 1 }));
    await store.put(makeQueueItem({ dictationId: 'old' }));
    second.queue.wake();
    await second.until(() => second.head('old:0') !== undefined);
    await first.queue.discardAll(new Set());
    await second.until(() => second.head('old:0') === undefined);
    await second.clock.advance(0);
    expect((await store.list()).map(({ id }) => id)).toEqual(['session:0', 'session:1']);
    expect(second.head('session:0')?.state.kind).toBe('refused');
    expect(second.head('session:1')?.state.kind).toBe('answered');
  });

  it('delete what memory alone has in another tab when everything is deleted', async () => {
    const disk = store;
    store = { ...disk, put: () => Promise.reject(new Error('full')) };
    const [first, second] = [openTab(), openTab()];
    behave = () => answerError(422, 'bad');
    expect(await second.queue.submit(makeQueueItem())).toMatchObject({ kind: 'left' });
    expect(second.queue.snapshot().unstoredItems).toBe(1);
    await first.queue.discardAll(new Set());
    await second.until(() => second.head('session:0') === undefined);
  });

  it('keep what was said after everything was deleted, in a tab that hears of it late', async () => {
    const tab = openTab();
    await store.put(makeQueueItem({ dictationId: 'newer' }));
    tab.queue.wake();
    await tab.until(() => isTranscribed(tab, 'newer:0'));
    browser.openTab().post({ kind: 'wiped', spared: new Set() });
    await tab.clock.advance(0);
    expect((await store.list()).map(({ id }) => id)).toEqual(['newer:0']);
  });

  it('keep what another awaits for its place when everything is deleted', async () => {
    const [first, second] = [openTab(), openTab()];
    browser.openSessions.add('session');
    behave = () => answerError(422, 'bad');
    await second.queue.submit(makeQueueItem());
    browser.places.add('session');
    browser.openSessions.delete('session');
    second.queue.sessionClosed();
    await first.until(() => first.head('session:0') !== undefined);
    await first.queue.discardAll(new Set());
    await second.clock.advance(0);
    expect((await store.list()).map(({ id }) => id)).toEqual(['session:0']);
    expect(second.head('session:0')?.state.kind).toBe('refused');

    browser.places.delete('session');
    await second.queue.discardAll(new Set());
    expect(await store.list(), 'whoever awaits it may delete it').toEqual([]);
  });

  it('leave what a session waits for no longer to the one that drains', async () => {
    const drainer = openTab();
    await drainer.clock.advance(0);
    const other = openTab();
    browser.openSessions.add('session');
    behave = () => ({ kind: 'hang' });
    const outcomes = [0, 1].map((number) => other.queue.submit(makeQueueItem({ number })));
    await other.until(() => server.openCalls === 1);
    other.queue.stopWaiting('session');
    expect((await Promise.all(outcomes)).map(({ kind }) => kind)).toEqual(['left', 'left']);
    await other.until(() => server.openCalls === 0);
    behave = echo;
    browser.openSessions.delete('session');
    other.queue.sessionClosed();
    await drainer.until(() => isTranscribed(drainer, 'session:1'));
    expect(other.attempts.map(({ id }) => id)).toEqual(['session:0']);
    expect(server.mostOpen.all, 'never two at once').toBe(1);
  });

  it('are told what became of a chunk, wherever that was', async () => {
    const [first, second] = [openTab(), openTab()];
    for (const number of [0, 1]) await first.queue.submit(makeQueueItem({ number }));
    await second.until(() => isTranscribed(second, 'session:1'));
    await second.queue.discard('session:1');
    expect(await second.queue.claim('session')).toMatchObject({ chunks: new Map([[0, null]]) });
    await second.queue.markDelivered('session', true, new Map([[0, null]]), 'waits');
    await first.clock.advance(0);
    expect(first.settled).toEqual([
      ['session:1', 'deleted'],
      ['session:0', 'delivered'],
    ]);
  });

  it('send no more of what is discarded in one', async () => {
    behave = () => answerError(503, 'busy');
    await store.put(makeQueueItem({ dictationId: 'old' }));
    const [sender, other] = [openTab(), openTab()];
    await sender.until(() => server.calls.length === 1);
    await other.until(() => other.head('old:0') !== undefined);
    const calls = server.calls.length;
    await other.queue.discard('old:0');
    await sender.clock.advance(60_000);
    expect(server.calls.length).toBe(calls);
  });

  it('forget what is discarded in one', async () => {
    behave = () => answerError(422, 'bad');
    await store.put(makeQueueItem({ dictationId: 'old' }));
    const tabs = [openTab(), openTab()] as const;
    for (const tab of tabs) await tab.until(() => tab.head('old:0')?.state.kind === 'refused');
    await tabs[1].queue.discard('old:0');
    await tabs[0].until(() => tabs[0].head('old:0') === undefined);
  });
});

describe('the channel between tabs', () => {
  it('reaches the others, not itself, until it is closed', async () => {
    const owner = { account: null, address: `https://${crypto.randomUUID()}.example` };
    const closing = new AbortController();
    const heard: [string, QueueMessage][] = [];
    const [first, second] = ['first', 'second'].map((tab) => {
      const channel = createQueueChannel({ owner });
      channel.listen((message) => heard.push([tab, message]), closing.signal);
      return channel;
    });
    first?.post({ kind: 'stored' });
    await until(() => heard.length === 1, { interval: 5 });
    second?.post({ kind: 'retry', itemId: null });
    await until(() => heard.length === 2, { interval: 5 });
    expect(heard).toEqual([
      ['second', { kind: 'stored' }],
      ['first', { kind: 'retry', itemId: null }],
    ]);
    closing.abort();
  });

  it('has nobody throw away what is another’s whom the server has named since', async () => {
    const address = `https://${crypto.randomUUID()}.example`;
    const closing = new AbortController();
    const scopes = ['ada', 'bo', 'ada'].map((account) => {
      const scope = createOwnerScope({ account: null, address }, false);
      return { account, scope, channel: createQueueChannel(scope) };
    });
    const heard = scopes.slice(1).map(({ account, scope, channel }) => {
      const kinds: string[] = [];
      channel.listen(({ kind }) => kinds.push(kind), closing.signal);
      scope.learn(account);
      return kinds;
    });
    const [first] = scopes;
    first?.scope.learn('ada');
    first?.channel.post({ kind: 'wiped', spared: new Set() });
    first?.channel.post({ kind: 'stored' });
    await until(() => heard.every((kinds) => kinds.includes('stored')), { interval: 5 });
    expect(heard).toEqual([['stored'], ['wiped', 'stored']]);
    closing.abort();
  });
});
