import { afterEach, describe, expect, it, vi } from 'vitest';
import { LOG_MESSAGES } from '../../src/core/logger.ts';
import type { ChunkOutcome } from '../../workers/upload/dictation-entry.ts';
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
import { createQueueBench, type QueueBench } from '../helpers/upload-queue.ts';

const TIMEOUT_MS = 120_000;

// Real sockets, on machines that may be busy.
vi.setConfig({ testTimeout: 20_000 });

let server: TestServer;
let bench: QueueBench;
afterEach(async () => {
  bench.queue.dispose();
  await server.close();
});

/** A server that does these in turn, and the last one for ever. */
async function setUp(
  actions: readonly (ServerAction | ((call: ServerCall) => ServerAction))[],
  parts: Parameters<typeof createQueueBench>[1] = {},
): Promise<QueueBench> {
  server = await startTestServer((call) => {
    const action = actions[Math.min(call.index, actions.length - 1)];
    if (action === undefined) throw new Error('No action');
    return typeof action === 'function' ? action(call) : action;
  });
  bench = createQueueBench(server, parts);
  return bench;
}

/** Submits a chunk and moves time on until its session hears of it. */
async function submit(item = makeQueueItem()): Promise<ChunkOutcome> {
  let outcome: ChunkOutcome | undefined;
  void bench.queue.submit(item).then((value) => {
    outcome = value;
  });
  await bench.advanceUntil(() => outcome !== undefined);
  if (!outcome) throw new Error('No outcome');
  return outcome;
}

/** The milliseconds between one request and the next. */
const pauses = () =>
  bench.attempts.slice(1).map(({ atMs }, index) => atMs - (bench.attempts[index]?.atMs ?? 0));
const keys = () => server.calls.map((call) => call.idempotencyKey);
const echo = (call: ServerCall) => answerText(`text of ${call.idempotencyKey}`);
const html: ServerAction = { kind: 'answer', status: 200, body: '<html>Wi-Fi login</html>' };
const TEXT = { kind: 'answered', text: 'text of session:0', needsReview: null };

describe('failures that pass', () => {
  it.each([
    ['500', answerError(500, 'engine-failed')],
    ['408', answerError(408, 'slow')],
    ['425', answerError(425, 'early')],
    ['429', answerError(429, 'busy')],
    ['garbage', html],
    ['a lost answer', { kind: 'break-off' }],
  ] as const)('%s, twice, then the text: retried with the same key', async (_what, action) => {
    const { log } = await setUp([action, action, echo]);
    expect(await submit()).toMatchObject(TEXT);
    expect(keys()).toEqual(['session:0', 'session:0', 'session:0']);
    expect(pauses()).toEqual([300, 600]);
    expect(log.lines).toEqual([]);
  });

  it('a language that is being made ready: waits as that, after one request', async () => {
    const error = { code: 'engine_loading', message: 'later', share: 0.4 };
    const { queue } = await setUp([
      { kind: 'answer', status: 503, body: JSON.stringify({ error }) },
      echo,
    ]);
    expect(await submit()).toMatchObject({ kind: 'left' });
    expect(keys()).toEqual(['session:0']);
    const [head] = queue.snapshot().items;
    expect(head?.state).toMatchObject({ kind: 'pending', lastError: { share: 0.4 } });
  });

  it('a server that comes back while the retries run', async () => {
    const { queue, attempts, until, clock } = await setUp([echo]);
    await server.goDown();
    const outcome = queue.submit(makeQueueItem());
    await until(() => attempts.length === 1 && clock.waits()[0] === 300);
    await server.comeBack();
    await clock.advance(300);
    expect(await outcome).toMatchObject(TEXT);
  });

  it('a server that hangs: given up after 120 s, asked again', async () => {
    const { queue, until, clock } = await setUp([{ kind: 'hang' }, echo]);
    const outcome = queue.submit(makeQueueItem());
    await until(() => server.calls.length === 1);
    await clock.advance(TIMEOUT_MS);
    await clock.advance(300);
    expect(await outcome).toMatchObject(TEXT);
    expect(pauses()).toEqual([TIMEOUT_MS + 300]);
  });

  it.each([
    ['7', 7_000],
    ['3600', 60_000],
    ['0', 300],
    ['nonsense', 300],
  ])('429 with Retry-After %s: %i ms', async (retryAfter, pauseMs) => {
    await setUp([answerError(429, 'busy', { 'Retry-After': retryAfter }), echo]);
    expect(await submit()).toMatchObject(TEXT);
    expect(pauses()).toEqual([pauseMs]);
  });
});

describe('failures that last', () => {
  it('take the chunk out of its session after three retries, and leave it waiting', async () => {
    const { log, head, store } = await setUp([answerError(500, 'engine-failed')]);
    const error = {
      code: 'http-status',
      message: `POST ${server.url}: 500 engine-failed: because of engine-failed`,
    };
    expect(await submit()).toEqual({ kind: 'left', error, isForAll: true });
    expect(pauses()).toEqual([300, 600, 1_200]);
    expect(log.lines).toEqual([['error', LOG_MESSAGES.uploadFailed, error]]);
    const state = {
      kind: 'pending',
      nextAttemptAtMs: bench.clock.nowMs() + 30_000,
      lastError: error,
    };
    expect(head('session:0')).toMatchObject({ rounds: 1, state });
    expect(await store.get('session:0')).toMatchObject({ rounds: 1, state });
  });

  it('are tried again after 30 s doubling to 15 min, for ever', async () => {
    const { queue, advanceUntil, attempts, head } = await setUp([answerError(503, 'down')]);
    queue.start();
    await submit();
    await advanceUntil(() => attempts.length === 4 + 8);
    const rests = pauses().slice(3);
    expect(rests.map((ms) => ms / 60_000)).toEqual([0.5, 1, 2, 4, 8, 15, 15, 15]);
    await advanceUntil(() => head('session:0')?.rounds === 9);
    expect(new Set(keys())).toEqual(new Set(['session:0']));
  });

  it('end, and the late text is kept for the user', async () => {
    const { queue, advanceUntil, head } = await setUp([
      ...Array.from({ length: 6 }, () => answerError(500, 'down')),
      echo,
    ]);
    queue.start();
    expect(await submit()).toMatchObject({ kind: 'left' });
    await advanceUntil(() => head('session:0')?.state.kind === 'answered');
    await queue.markDelivered('session', true, new Map());
    expect(head('session:0')).toMatchObject({ state: TEXT, rounds: 4 });
  });

  it('cost a backlog of 60 one chunk’s requests a time, and a wake sends them all', async () => {
    const store = createMemoryQueueStore();
    for (let number = 0; number < 60; number += 1) {
      await store.put(makeQueueItem({ dictationId: 'old', number, samples: new Float32Array(10) }));
    }
    let isDown = true;
    const { queue, advanceUntil, attempts, until } = await setUp(
      [(call) => (isDown ? answerError(503, 'down') : echo(call))],
      { store },
    );
    queue.start();
    await advanceUntil(() => attempts.length === 4);
    await bench.clock.advance(29_000);
    expect(attempts).toHaveLength(4);
    isDown = false;
    queue.wake();
    const done = () => queue.snapshot().items.every(({ state }) => state.kind === 'answered');
    await until(done);
    expect(attempts).toHaveLength(4 + 60);
    expect(server.mostOpen.all).toBe(1);
  });

  it('of one chunk do not hold up the others', async () => {
    const store = createMemoryQueueStore();
    for (const number of [0, 1, 2]) await store.put(makeQueueItem({ dictationId: 'old', number }));
    const { queue, advanceUntil, head } = await setUp(
      [(call) => (call.idempotencyKey === 'old:0' ? answerError(500, 'poison') : echo(call))],
      { store },
    );
    queue.start();
    await advanceUntil(() => head('old:2')?.state.kind === 'answered');
    expect(head('old:1')?.state.kind).toBe('answered');
    expect(head('old:0')?.state.kind).not.toBe('answered');
  });

  it('are over for all that wait as soon as one gets through', async () => {
    const store = createMemoryQueueStore();
    const nextAttemptAtMs = 1_700_000_600_000;
    const state = { kind: 'pending', nextAttemptAtMs, lastError: null } as const;
    for (const number of [1, 2]) {
      await store.put(makeQueueItem({ dictationId: 'old', number, state }));
    }
    await store.put(makeQueueItem({ dictationId: 'old', number: 3 }));
    const { queue, until, clock, head } = await setUp([echo], { store });
    queue.start();
    await until(() => [1, 2, 3].every((n) => head(`old:${n}`)?.state.kind === 'answered'));
    expect(clock.nowMs()).toBe(1_700_000_000_000);
    expect(keys()).toEqual(['old:3', 'old:1', 'old:2']);
  });

  it('are over for the backlog when a live chunk gets through', async () => {
    const { queue, advanceUntil, head } = await setUp([
      ...Array.from({ length: 4 }, () => answerError(500, 'down')),
      echo,
    ]);
    queue.start();
    await submit();
    const leftAtMs = bench.clock.nowMs();
    const other = makeQueueItem({ dictationId: 'other' });
    expect(await submit(other)).toMatchObject({ kind: 'answered' });
    await advanceUntil(() => head('session:0')?.state.kind === 'answered');
    expect(bench.clock.nowMs() - leftAtMs).toBeLessThan(30_000);
  });
});

describe('a server that will not have us', () => {
  it.each([401, 403])('%i pauses everything until somebody may have signed in', async (status) => {
    let isSignedIn = false;
    const { queue, clock, until, head, log } = await setUp([
      (call) => (isSignedIn ? echo(call) : answerError(status, 'sign-in')),
    ]);
    queue.start();
    const outcomes = [0, 1, 2].map((number) => queue.submit(makeQueueItem({ number })));
    for (const outcome of await Promise.all(outcomes)) {
      expect(outcome).toMatchObject({ kind: 'left', error: { code: 'http-signed-out' } });
    }
    expect(bench.attempts).toHaveLength(1);
    expect(queue.snapshot().isUnauthorised).toBe(true);
    expect(log.lines).toHaveLength(3);
    await clock.advance(3_600_000);
    expect(bench.attempts).toHaveLength(1);
    // The page is seen again, and nobody has.
    queue.wake();
    await until(() => bench.attempts.length === 2 && queue.snapshot().isUnauthorised);
    await clock.advance(3_600_000);
    expect(bench.attempts).toHaveLength(2);

    isSignedIn = true;
    if (status === 401) queue.wake();
    else await queue.retry(null);
    await until(() => [0, 1, 2].every((n) => head(`session:${n}`)?.state.kind === 'answered'));
    expect(queue.snapshot().isUnauthorised).toBe(false);
    expect(keys().slice(1)).toEqual(['session:0', 'session:0', 'session:1', 'session:2']);
  });
});

describe('a server that will not have a chunk', () => {
  it.each([400, 404, 415, 422])(
    '%i parks it, until the user retries or discards it',
    async (status) => {
      const { queue, clock, until, head, log } = await setUp([answerError(status, 'bad'), echo]);
      queue.start();
      expect(await submit()).toMatchObject({ kind: 'left' });
      expect(log.lines.map(([, words]) => words)).toEqual([LOG_MESSAGES.uploadFailed]);
      queue.wake();
      await queue.retry(null);
      await clock.advance(3_600_000);
      expect(server.calls).toHaveLength(1);
      expect(head('session:0')?.state).toMatchObject({
        kind: 'refused',
        error: { message: `POST ${server.url}: ${status} bad: because of bad` },
      });
      await queue.retry('session:0');
      await until(() => head('session:0')?.state.kind === 'answered');
      await queue.discard('session:0');
      expect(queue.snapshot().items).toEqual([]);
    },
  );

  it('does not hold up the chunks behind it', async () => {
    const { queue } = await setUp([answerError(422, 'bad'), echo]);
    const outcomes = [0, 1].map((number) => queue.submit(makeQueueItem({ number })));
    expect((await Promise.all(outcomes)).map(({ kind }) => kind)).toEqual(['left', 'answered']);
  });
});
