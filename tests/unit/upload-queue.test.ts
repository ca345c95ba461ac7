import { afterEach, describe, expect, it, vi } from 'vitest';
import { LOG_MESSAGES } from '../../src/core/logger.ts';
import type { ChunkStore } from '../../workers/store/chunk-store.ts';
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
import { createQueueBench, deliverAll, type QueueBench } from '../helpers/upload-queue.ts';

// Real sockets, on machines that may be busy.
vi.setConfig({ testTimeout: 20_000 });

let server: TestServer;
let bench: QueueBench;
afterEach(async () => {
  bench.queue.dispose();
  await server.close();
});

async function setUp(
  behave: (call: ServerCall) => ServerAction | Promise<ServerAction>,
  parts: Parameters<typeof createQueueBench>[1] = {},
): Promise<QueueBench> {
  server = await startTestServer(behave);
  bench = createQueueBench(server, parts);
  return bench;
}

/** A gate that a test opens. */
function createGate(): { readonly passed: Promise<void>; open(): void } {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open: () => open() };
}

const echo = (call: ServerCall) => answerText(`text of ${call.idempotencyKey}`);
const keys = () => server.calls.map((call) => call.idempotencyKey);

describe('a chunk of a live session', () => {
  it('is stored before its first request, and only then', async () => {
    const stored = createGate();
    const store: ChunkStore = {
      ...createMemoryQueueStore(),
      put: async () => {
        await stored.passed;
        return true;
      },
    };
    const { queue, attempts, clock } = await setUp(echo, { store });
    const outcome = queue.submit(makeQueueItem());
    await clock.advance(1_000);
    expect(attempts).toEqual([]);
    expect(queue.cache.hasUnstored('session')).toBe(true);
    stored.open();
    await clock.advance(0);
    expect(attempts).toHaveLength(1);
    expect(queue.cache.hasUnstored('session')).toBe(false);
    expect(await outcome).toMatchObject({
      kind: 'answered',
      text: 'text of session:0',
      needsReview: null,
    });
  });

  it('stays, with its text, until the text is handed over', async () => {
    const { queue, store, head } = await setUp(echo);
    await queue.submit(makeQueueItem());
    const state = { kind: 'answered', text: 'text of session:0', needsReview: null };
    expect(head('session:0')).toMatchObject({ rounds: 1, state });
    expect(await store.get('session:0')).toMatchObject({ rounds: 1, state });
    await deliverAll(queue, 'another', true);
    expect(await store.list()).toHaveLength(1);
    await deliverAll(queue, 'session', true);
    expect(await store.list()).toEqual([]);
    expect(queue.snapshot().items).toEqual([]);
  });

  it('stays without a word in it too, whatever wakes the queue', async () => {
    const { queue, store, clock } = await setUp(() => answerText(''));
    queue.start();
    expect(await queue.submit(makeQueueItem())).toMatchObject({ text: '', needsReview: null });
    queue.wake();
    await clock.advance(0);
    expect(await store.list()).toHaveLength(1);
    await deliverAll(queue, 'session', true);
    expect(await store.list()).toEqual([]);
  });

  it('is shown as waiting, as being sent, as transcribed', async () => {
    const { queue, states } = await setUp(echo);
    await queue.submit(makeQueueItem());
    const kinds = states.map(({ items }) => (isSending(items[0]) ? 'sent' : items[0]?.state.kind));
    expect([...new Set(kinds)].filter(Boolean)).toEqual(['pending', 'sent', 'answered']);
  });

  it('comes in order, one request at a time, whatever the server takes', async () => {
    const { queue } = await setUp(async (call) => {
      await new Promise((resolve) => setTimeout(resolve, 8 - call.index));
      return echo(call);
    });
    const numbers = [0, 1, 2, 3, 4];
    const outcomes = await Promise.all(
      numbers.map((number) => queue.submit(makeQueueItem({ number }))),
    );
    expect(keys()).toEqual(numbers.map((number) => `session:${number}`));
    expect(outcomes).toMatchObject(
      numbers.map((number) => ({
        kind: 'answered',
        text: `text of session:${number}`,
        needsReview: null,
      })),
    );
    expect(server.mostOpen.all).toBe(1);
  });

  it('does not wait for a backlog of 50, nor the backlog for it', async () => {
    const store = createMemoryQueueStore();
    for (let number = 0; number < 50; number += 1) {
      await store.put(makeQueueItem({ dictationId: 'old', number }));
    }
    const holdBacklog = createGate();
    const { queue, until } = await setUp(
      async (call) => {
        if (call.idempotencyKey === 'old:0') await holdBacklog.passed;
        return echo(call);
      },
      { store },
    );
    queue.start();
    await until(() => server.calls.length === 1);
    await queue.submit(makeQueueItem({ number: 0 }));
    await queue.submit(makeQueueItem({ number: 1 }));
    expect(keys()).toEqual(['old:0', 'session:0', 'session:1']);
    holdBacklog.open();
    await until(() => server.calls.length === 52);
    const old = Array.from({ length: 50 }, (_, number) => `old:${number}`);
    expect(keys().filter((key) => key?.startsWith('old'))).toEqual(old);
    expect(server.mostOpen).toEqual({ all: 2, perSession: 1 });
  });

  it('has its session’s one request to itself, though its text is not waited for any more', async () => {
    const hold = createGate();
    const { queue, until, head, clock, attempts } = await setUp(async (call) => {
      if (call.index === 0) await hold.passed;
      return echo(call);
    });
    queue.start();
    await clock.advance(0);
    const outcomes = [0, 1].map((number) => queue.submit(makeQueueItem({ number })));
    await until(() => server.calls.length === 1);
    queue.stopWaiting('session');
    expect((await Promise.all(outcomes)).map(({ kind }) => kind)).toEqual(['left', 'left']);
    queue.wake();
    await until(() => isSending(head('session:1')));
    await clock.advance(0);
    expect(attempts).toHaveLength(1);
    hold.open();
    await until(() => [0, 1].every((n) => head(`session:${n}`)?.state.kind === 'answered'));
    expect(keys()).toEqual(['session:0', 'session:1']);
    expect(server.mostOpen).toEqual({ all: 1, perSession: 1 });
  });

  it('leaves at once when another of its session has failed for the network’s sake', async () => {
    const { queue, advanceUntil, until, head } = await setUp((call) =>
      call.index < 4 ? answerError(500, 'down') : echo(call),
    );
    queue.start();
    const outcomes: string[] = [];
    for (const number of [0, 1, 2]) {
      void queue.submit(makeQueueItem({ number })).then(({ kind }) => outcomes.push(kind));
    }
    await advanceUntil(() => outcomes.length > 0);
    await until(() => outcomes.length === 3);
    expect(outcomes).toEqual(['left', 'left', 'left']);
    expect(keys().slice(0, 4)).toEqual(new Array(4).fill('session:0'));
    await advanceUntil(() =>
      [0, 1, 2].every((n) => head(`session:${n}`)?.state.kind === 'answered'),
    );
  });

  it('cut after that is the backlog’s from the start, stored slowly or behind a request that hangs', async () => {
    const memory = createMemoryQueueStore();
    const stored = createGate();
    const store: ChunkStore = {
      ...memory,
      async put(item) {
        if (item.number === 2) await stored.passed;
        return memory.put(item);
      },
    };
    const hold = createGate();
    const { queue, until, head } = await setUp(
      async (call) => {
        if (call.index === 0) await hold.passed;
        return echo(call);
      },
      { store },
    );
    queue.start();
    const first = queue.submit(makeQueueItem());
    await until(() => server.calls.length === 1);
    queue.stopWaiting('session');
    expect(await first).toMatchObject({ kind: 'left' });
    for (const number of [1, 2]) {
      expect(await queue.submit(makeQueueItem({ number }))).toMatchObject({ kind: 'left' });
    }
    hold.open();
    await until(() => head('session:1')?.state.kind === 'answered');
    expect(keys()).toEqual(['session:0', 'session:1']);
    stored.open();
    await until(() => head('session:2')?.state.kind === 'answered');
  });

  it('that hangs when nobody waits for it any more has the server looked for', async () => {
    const { queue, until, clock } = await setUp(() => ({ kind: 'hang' }));
    queue.start();
    const outcome = queue.submit(makeQueueItem());
    await until(() => server.calls.length === 1);
    queue.stopWaiting('session');
    expect(await outcome).toMatchObject({ kind: 'left' });
    expect(bench.timesServerNeeded).toBe(0);
    await clock.advance(10_000);
    expect(bench.timesServerNeeded).toBeGreaterThan(0);
  });

  it('that fails when nobody waits for it any more is tried again in its time', async () => {
    const hold = createGate();
    const { queue, until, advanceUntil, head } = await setUp(async (call) => {
      if (call.index === 0) await hold.passed;
      return call.index < 4 ? answerError(500, 'down') : echo(call);
    });
    queue.start();
    const outcome = queue.submit(makeQueueItem());
    await until(() => server.calls.length === 1);
    queue.stopWaiting('session');
    expect(await outcome).toMatchObject({ kind: 'left' });
    hold.open();
    await advanceUntil(() => head('session:0')?.state.kind === 'answered');
  });

  it('leaves alone when the server will not have it, and it alone', async () => {
    const { queue } = await setUp((call) =>
      call.index === 0 ? answerError(422, 'bad') : echo(call),
    );
    const outcomes = [0, 1].map((number) => queue.submit(makeQueueItem({ number })));
    expect((await Promise.all(outcomes)).map(({ kind }) => kind)).toEqual(['left', 'answered']);
  });

  it('may be discarded while it is being sent', async () => {
    const { queue, until, store } = await setUp(() => ({ kind: 'hang' }));
    const outcome = queue.submit(makeQueueItem());
    await until(() => server.calls.length === 1);
    await queue.discard('session:0');
    expect(await outcome).toMatchObject({ kind: 'answered', text: '', needsReview: null });
    expect(await store.list()).toEqual([]);
    expect(queue.snapshot().items).toEqual([]);
  });

  it('is not deleted with all the rest while its session waits for it', async () => {
    const hold = createGate();
    const { queue, until, store } = await setUp(async (call) => {
      await hold.passed;
      return echo(call);
    });
    const outcome = queue.submit(makeQueueItem());
    await until(() => server.calls.length === 1);
    await store.put(makeQueueItem({ dictationId: 'old' }));
    await queue.discardAll(new Set());
    expect((await store.list()).map(({ id }) => id)).toEqual(['session:0']);
    hold.open();
    expect(await outcome).toMatchObject({ text: 'text of session:0' });
  });

  it('leaves its session when the queue is closed, and stays in the store', async () => {
    const { queue, until, store, clock, log } = await setUp(() => ({ kind: 'hang' }));
    const outcomes = [0, 1].map((number) => queue.submit(makeQueueItem({ number })));
    await until(() => server.calls.length === 1);
    queue.dispose();
    expect((await Promise.all(outcomes)).map(({ kind }) => kind)).toEqual(['left', 'left']);
    expect((await store.list()).map(({ state, rounds }) => [state.kind, rounds])).toEqual([
      ['pending', 0],
      ['pending', 0],
    ]);
    expect(clock.waits()).toEqual([]);
    expect(log.lines).toEqual([]);
  });
});

describe('a chunk of a dead session', () => {
  it('is stored and its journal cut in one step, and then it is sent, whatever wakes the queue', async () => {
    const memory = createMemoryQueueStore();
    const stored = createGate();
    const cuts: unknown[] = [];
    const cut = { nextChunkNumber: 1, cutUpToSample: 9, isInSpeech: false };
    const store: ChunkStore = {
      ...memory,
      async put(item, cut) {
        await stored.passed;
        cuts.push(cut);
        return memory.put(item);
      },
    };
    const { queue, attempts, clock, until } = await setUp(echo, { store });
    queue.start();
    await clock.advance(0);
    const enqueued = queue.enqueue(makeQueueItem({ dictationId: 'dead' }), cut);
    queue.wake();
    await clock.advance(1_000);
    expect(attempts, 'not stored yet').toEqual([]);
    stored.open();
    await enqueued;
    expect(cuts).toEqual([{ ...cut, dictationId: 'dead' }]);
    await until(() => attempts.length === 1);
  });
});

describe('what is left from earlier', () => {
  it('is sent only after start, and its text is kept until the user has it', async () => {
    const store = createMemoryQueueStore();
    await store.put(
      makeQueueItem({ dictationId: 'old', state: { kind: 'pending', isSending: true } }),
    );
    const { queue, until, clock, head } = await setUp(echo, { store });
    await until(() => head('old:0')?.state.kind === 'pending');
    await clock.advance(60_000);
    expect(server.calls).toEqual([]);
    queue.start();
    await until(() => head('old:0')?.state.kind === 'answered');
    await queue.markDelivered('old', true, new Map());
    expect(head('old:0')?.state).toEqual({
      kind: 'answered',
      text: 'text of old:0',
      needsReview: null,
    });
    await queue.discard('old:0');
    expect(await store.list()).toEqual([]);
  });

  it('is not sent when it is discarded while it is read from the store', async () => {
    const disk = createMemoryQueueStore();
    await disk.put(makeQueueItem({ dictationId: 'old' }));
    const [reading, hold] = [createGate(), createGate()];
    const store: ChunkStore = {
      ...disk,
      async get(id) {
        const item = await disk.get(id);
        reading.open();
        await hold.passed;
        return item;
      },
    };
    const { queue, clock } = await setUp(() => answerError(503, 'busy'), { store });
    queue.start();
    await reading.passed;
    await queue.discard('old:0');
    hold.open();
    await clock.advance(60_000);
    expect(server.calls).toEqual([]);
  });

  it('is not offered when nothing was said in it', async () => {
    const store = createMemoryQueueStore();
    await store.put(makeQueueItem({ dictationId: 'old' }));
    const { queue, until } = await setUp(() => answerText(' \n'), { store });
    queue.start();
    await until(() => server.calls.length === 1 && queue.snapshot().items.length === 0);
    expect(await store.list()).toEqual([]);
  });

  it('becomes the text of a session whose worker died, in order, with what waits of it', async () => {
    const store = createMemoryQueueStore();
    const texts = { kind: 'answered', text: 'first', needsReview: null } as const;
    await store.put(makeQueueItem({ dictationId: 'dead', number: 0, state: texts }));
    for (const number of [1, 2]) await store.put(makeQueueItem({ dictationId: 'dead', number }));
    await store.put(makeQueueItem({ dictationId: 'other', number: 0 }));
    const { queue } = await setUp(echo, { store });
    expect(await queue.resultOf('dead')).toEqual({
      text: 'first\ntext of dead:1\ntext of dead:2',
      chunks: new Map([
        [0, null],
        [1, null],
        [2, null],
      ]),
      failedChunks: 0,
      chunksToReview: 0,
    });
    await deliverAll(queue, 'dead', true);
    expect((await store.list()).map(({ id }) => id)).toEqual(['other:0']);
  });

  it('leaves out of that text what the server does not give, and hands over only the rest', async () => {
    const store = createMemoryQueueStore();
    for (const number of [0, 1]) await store.put(makeQueueItem({ dictationId: 'dead', number }));
    const { queue } = await setUp(
      (call) => (call.idempotencyKey === 'dead:1' ? answerError(422, 'no') : echo(call)),
      { store },
    );
    expect(await queue.resultOf('dead')).toEqual({
      text: 'text of dead:0',
      chunks: new Map([[0, null]]),
      failedChunks: 1,
      chunksToReview: 0,
    });
    await deliverAll(queue, 'dead', true);
    expect((await store.list()).map(({ id }) => id)).toEqual(['dead:1']);
  });
});

describe('the text of a session whose worker died', () => {
  it('is not asked for behind a chunk that the server does not give: that would leave a hole', async () => {
    const store = createMemoryQueueStore();
    for (const number of [0, 1, 2]) await store.put(makeQueueItem({ dictationId: 'dead', number }));
    const { queue } = await setUp(
      (call) => (call.idempotencyKey === 'dead:1' ? answerError(422, 'no') : echo(call)),
      { store },
    );
    expect(await queue.resultOf('dead')).toMatchObject({ text: 'text of dead:0', failedChunks: 2 });
    expect(keys()).toEqual(['dead:0', 'dead:1']);
  });

  it('is left to the tab that sends when nobody waits for it any more', async () => {
    const store = createMemoryQueueStore();
    for (const number of [0, 1]) await store.put(makeQueueItem({ dictationId: 'dead', number }));
    const hold = createGate();
    const { queue, until, head, clock, attempts } = await setUp(
      async (call) => {
        await hold.passed;
        return echo(call);
      },
      { store },
    );
    const result = queue.resultOf('dead');
    await until(() => server.calls.length === 1);
    queue.stopWaiting('dead');
    expect(await result).toMatchObject({ text: '', failedChunks: 2 });
    hold.open();
    await until(() => !isSending(head('dead:0')));
    await clock.advance(1_000);
    expect(attempts).toHaveLength(1);
  });
});

describe('storage that fails', () => {
  const failing = (): ChunkStore => {
    const no = () => Promise.reject(new Error('the disk is full'));
    return { put: no, update: no, get: no, list: no, remove: no, cut: no, markDelivered: no };
  };

  it('stops nothing: chunks are sent from memory', async () => {
    const { queue, storage, log } = await setUp(echo, { store: failing() });
    const outcome = await queue.submit(makeQueueItem());
    expect(outcome).toMatchObject({
      kind: 'answered',
      text: 'text of session:0',
      needsReview: null,
    });
    expect(queue.cache.hasUnstored('session')).toBe(true);
    expect(storage).toContain('the disk is full');
    expect(log.lines).toContainEqual([
      'error',
      'Queue storage: put failed',
      { code: 'storage-failed', message: 'the disk is full' },
    ]);
    await deliverAll(queue, 'session', true);
    expect(queue.snapshot().items).toEqual([]);
  });

  it('keeps the audio of a chunk that left in memory, and stores it when that works again', async () => {
    const memory = createMemoryQueueStore();
    let isFull = true;
    const store: ChunkStore = {
      ...memory,
      put: (item) => (isFull ? Promise.reject(new Error('full')) : memory.put(item)),
    };
    let isDown = true;
    const { queue, advanceUntil, head, storage } = await setUp(
      (call) => (isDown ? answerError(500, 'down') : echo(call)),
      { store },
    );
    queue.start();
    let outcome: unknown;
    void queue.submit(makeQueueItem()).then((value) => {
      outcome = value;
    });
    await advanceUntil(() => outcome !== undefined);
    expect(outcome).toMatchObject({ kind: 'left' });
    isFull = false;
    await advanceUntil(() => head('session:0')?.rounds === 2);
    expect(await memory.get('session:0')).toEqual({ ...makeQueueItem(), ...head('session:0') });
    expect(storage.at(-1)).toBeNull();
    isDown = false;
    await advanceUntil(() => head('session:0')?.state.kind === 'answered');
  });

  it('is tried again after 5 s, whatever else happens', async () => {
    const memory = createMemoryQueueStore();
    let isFull = true;
    const store: ChunkStore = {
      ...memory,
      put: (item) => (isFull ? Promise.reject(new Error('full')) : memory.put(item)),
    };
    const { queue, clock, until } = await setUp(() => ({ kind: 'hang' }), { store });
    void queue.submit(makeQueueItem());
    await until(() => server.calls.length === 1);
    isFull = false;
    await clock.advance(5_000);
    expect((await memory.list()).map(({ id }) => id)).toEqual(['session:0']);
  });

  it('does not lose a chunk that cannot be read just now', async () => {
    const memory = createMemoryQueueStore();
    await memory.put(makeQueueItem({ dictationId: 'old' }));
    let isBroken = true;
    const store: ChunkStore = {
      ...memory,
      get: (id) => (isBroken ? Promise.reject(new Error('lost connection')) : memory.get(id)),
    };
    const { queue, until, advanceUntil, head, log } = await setUp(echo, { store });
    queue.start();
    await until(() => head('old:0')?.rounds === 1);
    expect(log.lines[0]).toEqual([
      'error',
      LOG_MESSAGES.uploadFailed,
      { code: 'storage-failed', message: 'lost connection' },
    ]);
    isBroken = false;
    await advanceUntil(() => head('old:0')?.state.kind === 'answered');
  });
});

describe('a chunk that is cut anew, and whose text is in the user’s hands', () => {
  it('is in no list, and is not sent', async () => {
    const store: ChunkStore = { ...createMemoryQueueStore(), put: async () => false };
    const { queue, attempts, settled } = await setUp(echo, { store });
    queue.start();
    await queue.enqueue(makeQueueItem());
    expect(await queue.submit(makeQueueItem({ number: 1 }))).toMatchObject({ text: '' });
    expect(queue.snapshot().items).toEqual([]);
    expect(attempts).toEqual([]);
    expect(settled).toEqual([
      ['session:0', 'delivered'],
      ['session:1', 'delivered'],
    ]);
  });
});
