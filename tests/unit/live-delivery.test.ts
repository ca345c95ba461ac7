import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ChunkOutcome } from '../../workers/upload/dictation-entry.ts';
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

// Real sockets, on machines that may be busy.
vi.setConfig({ testTimeout: 20_000 });

const echo = (call: ServerCall): ServerAction => answerText(`text of ${call.idempotencyKey}`);

let server: TestServer;
let behave: (call: ServerCall) => ServerAction;
let bench: QueueBench;

beforeEach(async () => {
  behave = echo;
  server = await startTestServer((call) => behave(call));
  bench = createQueueBench(server);
});
afterEach(async () => {
  bench.queue.dispose();
  await server.close();
});

/** Submits a piece; its outcome once it is there. */
function submit(number: number, isLive = true) {
  const ended: { outcome: ChunkOutcome | null } = { outcome: null };
  void bench.queue.submit(makeQueueItem({ dictationId: 's', number, isLive })).then((outcome) => {
    ended.outcome = outcome;
  });
  return ended;
}

describe('a server that is away for a moment', () => {
  const down = () => answerError(503, 'down');

  test('keeps no live piece from its session, nor those behind it', async () => {
    behave = down;
    const pieces = [submit(0), submit(1)];
    await bench.advanceUntil(() => server.calls.length >= 8);
    behave = echo;
    await bench.advanceUntil(() => pieces.every(({ outcome }) => outcome !== null));
    expect(pieces.map(({ outcome }) => outcome)).toMatchObject([
      { kind: 'answered', text: 'text of s:0' },
      { kind: 'answered', text: 'text of s:1' },
    ]);
  });

  test('is not waited for at the stop', async () => {
    behave = down;
    const piece = submit(0);
    await bench.advanceUntil(() => server.calls.length >= 4);
    bench.queue.finalize('s');
    await bench.advanceUntil(() => piece.outcome !== null);
    expect(piece.outcome).toMatchObject({ kind: 'left', isForAll: true });
    expect(server.calls.length).toBeLessThanOrEqual(8);
  });

  test('takes the rest of a session of 90 s chunks along, as ever', async () => {
    behave = down;
    const chunks = [submit(0, false), submit(1, false)];
    await bench.advanceUntil(() => chunks.every(({ outcome }) => outcome !== null));
    expect(chunks.map(({ outcome }) => outcome?.kind)).toEqual(['left', 'left']);
    expect(server.calls).toHaveLength(4);
  });
});

describe('pieces that stand in the page while their session goes on', () => {
  test('are gone from the store, and no other is', async () => {
    submit(0);
    submit(1);
    await bench.advanceUntil(
      () => server.calls.length === 2 && !bench.queue.cache.hasUnstored('s'),
    );
    await bench.until(() => bench.head('s:1')?.state.kind === 'answered');
    await bench.queue.markDelivered('s', true, new Map([[0, null]]));
    expect((await bench.store.list()).map(({ id }) => id)).toEqual(['s:1']);
    expect(bench.settled).toEqual([['s:0', 'delivered']]);
  });

  test('of which a dead worker told nothing are given to nobody by the next', async () => {
    await bench.store.put(makeQueueItem({ dictationId: 's', number: 0, isLive: true }));
    await bench.store.put(makeQueueItem({ dictationId: 's', number: 1, isLive: true }));
    const resumed = await bench.queue.resume('s', new Map([[0, null]]));
    expect(resumed?.map(({ number }) => number)).toEqual([1]);
    await bench.until(() => server.calls.length === 1);
    expect(server.calls[0]?.idempotencyKey).toBe('s:1');
  });

  test('of which a dead worker told nothing, and which the page changed, stay offered', async () => {
    const state = { kind: 'answered', text: 'ett', needsReview: null } as const;
    await bench.store.put(makeQueueItem({ dictationId: 's', number: 0, isLive: true, state }));
    await bench.store.put(makeQueueItem({ dictationId: 's', number: 1, isLive: true, state }));
    const told = new Map([
      [0, 'altered'],
      [1, null],
    ] as const);
    await bench.queue.resume('s', told);
    await bench.until(() => bench.head('s:1') === undefined);
    await bench.until(() => bench.head('s:0')?.state.kind === 'delivered');
    expect(bench.head('s:0')?.state).toEqual({
      kind: 'delivered',
      hasAudio: true,
      needsReview: 'altered',
      text: 'ett',
    });
  });
});
