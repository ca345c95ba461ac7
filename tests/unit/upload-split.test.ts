import { afterEach, describe, expect, it, vi } from 'vitest';
import { createMemoryQueueStore } from '../helpers/memory-queue-store.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';
import { makeSpeechLike } from '../helpers/speech-like.ts';
import {
  answerError,
  answerText,
  type ServerCall,
  startTestServer,
  type TestServer,
} from '../helpers/transcription-server.ts';
import { createQueueBench, type QueueBench } from '../helpers/upload-queue.ts';

const SECOND = 16_000;
const bytesOf = (seconds: number) => 44 + 2 * SECOND * seconds;

// Real sockets, on machines that may be busy.
vi.setConfig({ testTimeout: 20_000 });

let server: TestServer;
let bench: QueueBench;
afterEach(async () => {
  bench.queue.dispose();
  await server.close();
});

/** A server that takes files up to a size; more behaviour by the idempotency key. */
async function setUp(
  maxBytes: number,
  behave: (call: ServerCall) => ReturnType<typeof answerText> | undefined = () => undefined,
  parts: Parameters<typeof createQueueBench>[1] = {},
): Promise<QueueBench> {
  server = await startTestServer((call) => {
    if (call.file.bytes > maxBytes) return answerError(413, 'too-large', { 'Retry-After': '2' });
    return behave(call) ?? answerText(` text of ${call.idempotencyKey} `);
  });
  bench = createQueueBench(server, parts);
  return bench;
}

const speech = (seconds: number) => makeQueueItem({ samples: makeSpeechLike(SECOND * seconds) });
const keys = () => server.calls.map((call) => call.idempotencyKey);

describe('a chunk too large for the server', () => {
  it('is sent in two halves, after the wait it asked for, and gives one text', async () => {
    const { queue, advanceUntil, attempts } = await setUp(bytesOf(7));
    let text = '';
    void queue.submit(speech(10)).then((outcome) => {
      if (outcome.kind === 'transcribed') text = outcome.text;
    });
    await advanceUntil(() => text !== '');
    expect(keys()).toEqual(['session:0', 'session:0-0', 'session:0-1']);
    expect(text).toBe('text of session:0-0 text of session:0-1');
    expect((attempts[1]?.atMs ?? 0) - (attempts[0]?.atMs ?? 0)).toBe(2_000);
    const [, first, second] = server.calls.map((call) => call.file.bytes);
    expect((first ?? 0) + (second ?? 0)).toBe(bytesOf(10) + 44);
    await queue.acknowledge('session', true);
    expect(await bench.store.list()).toEqual([]);
  });

  it('whose parts are not waited for any more has them looked after like all that is late', async () => {
    const hang = { kind: 'hang' } as const;
    server = await startTestServer((call) => (call.index === 0 ? answerError(413, 'large') : hang));
    bench = createQueueBench(server);
    const { queue, clock, until } = bench;
    queue.start();
    const outcome = queue.submit(speech(10));
    await until(() => server.calls.length === 2);
    queue.stopWaiting('session');
    expect(await outcome).toMatchObject({ kind: 'left' });
    expect(bench.timesServerNeeded).toBe(0);
    await clock.advance(10_000);
    expect(bench.timesServerNeeded, 'nothing came for 10 s').toBeGreaterThan(0);
  });

  it('is split again and again, down to what fits, in the order of speech', async () => {
    const { queue, advanceUntil } = await setUp(bytesOf(3));
    let text = '';
    void queue.submit(speech(10)).then((outcome) => {
      if (outcome.kind === 'transcribed') text = outcome.text;
    });
    await advanceUntil(() => text !== '');
    const taken = server.calls.filter(({ file }) => file.bytes <= bytesOf(3));
    const parts = taken.map((call) => call.idempotencyKey);
    expect(parts.length).toBeGreaterThanOrEqual(4);
    expect(parts).toEqual([...parts].sort());
    expect(text).toBe(parts.map((part) => `text of ${part}`).join(' '));
    const seconds = taken.reduce((sum, { file }) => sum + (file.bytes - 44) / 2, 0) / SECOND;
    expect(seconds).toBe(10);
  });

  it('is cut where it is quietest near the middle', async () => {
    const { queue, store, advanceUntil } = await setUp(bytesOf(7));
    const samples = makeSpeechLike(SECOND * 10);
    samples.fill(0, SECOND * 4.4, SECOND * 4.7);
    let isDone = false;
    void queue.submit(makeQueueItem({ samples })).then(() => {
      isDone = true;
    });
    await advanceUntil(() => isDone);
    const [first] = await store.list();
    expect(first?.part).toBe('0');
    expect(first?.durationSamples).toBeGreaterThan(SECOND * 4.4);
    expect(first?.durationSamples).toBeLessThan(SECOND * 4.7);
  });

  it('leaves its session whole when one half fails, and keeps both', async () => {
    let isBroken = true;
    const { queue, advanceUntil, head } = await setUp(bytesOf(7), (call) =>
      isBroken && call.idempotencyKey === 'session:0-1' ? answerError(500, 'down') : undefined,
    );
    queue.start();
    let outcome: unknown;
    void queue.submit(speech(10)).then((value) => {
      outcome = value;
    });
    await advanceUntil(() => outcome !== undefined);
    expect(outcome).toMatchObject({ kind: 'left' });
    await queue.acknowledge('session', true);
    expect(head('session:0-0')?.state.kind).toBe('transcribed');
    expect(head('session:0-1')?.state.kind).toBe('waiting');
    isBroken = false;
    await advanceUntil(() => head('session:0-1')?.state.kind === 'transcribed');
    expect(await queue.resultOf('session')).toEqual({
      text: 'text of session:0-0 text of session:0-1',
      chunks: new Map([[0, null]]),
      failedChunks: 0,
      doubtfulChunks: 0,
    });
  });

  it('is parked when even two seconds are too large', async () => {
    const { queue, advanceUntil, store } = await setUp(10);
    let outcome: unknown;
    void queue.submit(speech(5)).then((value) => {
      outcome = value;
    });
    await advanceUntil(() => outcome !== undefined);
    queue.start();
    const settled = () => queue.snapshot().items.every(({ state }) => state.kind === 'parked');
    await advanceUntil(settled);
    const total = (await store.list()).reduce((sum, head) => sum + head.durationSamples, 0);
    expect(total).toBe(5 * SECOND);
  });

  it('is parked when it cannot be read', async () => {
    const { queue, head } = await setUp(10);
    const item = speech(5);
    const audio = { ...item.audio, bytes: new ArrayBuffer(bytesOf(5)) };
    expect(await queue.submit({ ...item, audio })).toMatchObject({ kind: 'left' });
    expect(head('session:0')?.state.kind).toBe('parked');
  });

  it('may be one of the backlog', async () => {
    const store = createMemoryQueueStore();
    await store.put([speech(10)]);
    const { queue, advanceUntil, head } = await setUp(bytesOf(7), undefined, { store });
    queue.start();
    await advanceUntil(() => head('session:0-1')?.state.kind === 'transcribed');
    expect(head('session:0-0')?.state.kind).toBe('transcribed');
    expect(head('session:0')).toBeUndefined();
  });
});
