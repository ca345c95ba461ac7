import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDeferred } from '../../src/core/async.ts';
import type { ChunkStore } from '../../workers/store/chunk-store.ts';
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
import { createQueueBench, deliverAll, type QueueBench } from '../helpers/upload-queue.ts';

// Real sockets, on machines that may be busy.
vi.setConfig({ testTimeout: 20_000 });

const echo = (call: ServerCall): ServerAction => answerText(`text of ${call.idempotencyKey}`);
const silent = () => answerText('');
const partial = (): ServerAction => ({
  kind: 'answer',
  status: 200,
  body: JSON.stringify({ transcription: 'w0 w1', complete: false }),
});

let server: TestServer;
let behave: (call: ServerCall) => ServerAction | Promise<ServerAction>;
let store: ChunkStore;
let bench: QueueBench;

beforeEach(async () => {
  behave = echo;
  server = await startTestServer((call) => behave(call));
  store = createMemoryQueueStore();
  bench = createQueueBench(server, { store });
  bench.queue.start();
});
afterEach(async () => {
  bench.queue.dispose();
  await server.close();
});

const stateOf = (id: string) => bench.head(id)?.state;
const SPOKEN = { samples: new Float32Array(48_000) };

describe('an answer that cannot be right', () => {
  it.each([
    ['empty', silent, ''],
    ['empty', () => answerText('\u200b\n'), '\n'],
    ['empty', () => answerText(' ... '), ' ... '],
    ['incomplete', partial, 'w0 w1'],
    ['empty', () => answerText('[BLANK_AUDIO]'), ''],
    ['empty', () => answerText('♪ (musik)'), ''],
    ['empty', () => answerText('Tack för att du tittade!'), ''],
    ['incomplete', () => answerText('nej '.repeat(400).trim()), 'nej'],
  ] as const)(
    '%s (%s): its text is delivered, its audio is not forgotten',
    async (why, answer, text) => {
      behave = answer;
      expect(await bench.queue.submit(makeQueueItem(SPOKEN))).toMatchObject({
        kind: 'answered',
        text,
        needsReview: why,
      });
      expect(stateOf('session:0')).toEqual({ kind: 'answered', text, needsReview: why });
      await deliverAll(bench.queue, 'session', true);
      expect(stateOf('session:0')).toEqual({
        kind: 'delivered',
        hasAudio: true,
        needsReview: why,
        text,
      });
      expect((await store.get('session:0'))?.audio.durationSamples).toBe(48_000);
    },
  );

  it.each([
    ['thanks for watching, over a third of a second of speech', 'Thanks for watching!', ''],
    ['a note beside words', 'Hej. [Musik]', 'Hej.'],
    ['what nobody sees', 'He\u0000j', 'Hej'],
    ['what is said', 'Tack så mycket.', 'Tack så mycket.'],
  ])('is none where nothing was lost: %s', async (_, said, text) => {
    behave = () => answerText(said);
    const item = { ...makeQueueItem(), speechSamples: said.startsWith('Thanks') ? 5_000 : 32_000 };
    expect(await bench.queue.submit(item)).toMatchObject({
      kind: 'answered',
      text,
      needsReview: null,
    });
  });

  it('of our own server is as it stands: it has been judged there, where more was known', async () => {
    const transcription = 'Thanks for watching!';
    const body = JSON.stringify({ transcription, complete: true, textRules: {} });
    behave = () => ({ kind: 'answer', status: 200, body });
    expect(await bench.queue.submit(makeQueueItem(SPOKEN))).toMatchObject({
      text: transcription,
      needsReview: null,
    });
  });

  it('does not keep a chunk that can be, and is not sent again by itself', async () => {
    behave = (call) => (call.index === 0 ? silent() : echo(call));
    for (const number of [0, 1]) await bench.queue.submit(makeQueueItem({ ...SPOKEN, number }));
    await deliverAll(bench.queue, 'session', true);
    expect((await store.list()).map(({ id }) => id)).toEqual(['session:0']);
    bench.queue.wake();
    await bench.queue.retry(null);
    await bench.clock.advance(3_600_000);
    expect(server.calls).toHaveLength(2);
    expect(await bench.queue.claim('session')).toBeNull();
  });

  it('in the backlog is offered at once when it is empty, and with its text else', async () => {
    behave = (call) => (call.idempotencyKey === 'old:0' ? silent() : partial());
    for (const number of [0, 1]) {
      await store.put(makeQueueItem({ ...SPOKEN, dictationId: 'old', number }));
    }
    await store.put(
      makeQueueItem({ dictationId: 'old', number: 2, samples: new Float32Array(8_000) }),
    );
    bench.queue.wake();
    await bench.until(() => stateOf('old:1')?.kind === 'answered');
    expect(stateOf('old:0')).toEqual({
      kind: 'delivered',
      hasAudio: true,
      needsReview: 'empty',
      text: '',
    });
    behave = silent;
    const claimed = await bench.queue.claim('old');
    expect(claimed?.text).toContain('w0 w1');
    await bench.queue.markDelivered('old', true, claimed?.chunks ?? new Map(), 'waits');
    expect(stateOf('old:1')).toEqual({
      kind: 'delivered',
      hasAudio: true,
      needsReview: 'incomplete',
      text: 'w0 w1',
    });
  });

  it('with less than a second of speech is an answer', async () => {
    behave = silent;
    await store.put(makeQueueItem({ ...SPOKEN, dictationId: 'old', speechSamples: 16_000 }));
    bench.queue.wake();
    await bench.until(() => server.calls.length === 1);
    await bench.until(() => bench.queue.snapshot().items.length === 0);
    expect(await store.list()).toEqual([]);
  });
});

describe('a text that the page changed', () => {
  it('keeps the audio of all of it', async () => {
    behave = (call) => (call.index === 0 ? partial() : echo(call));
    for (const number of [0, 1]) await bench.queue.submit(makeQueueItem({ ...SPOKEN, number }));
    await deliverAll(bench.queue, 'session', 'altered');
    expect(stateOf('session:0')).toEqual({
      kind: 'delivered',
      hasAudio: true,
      needsReview: 'incomplete',
      text: 'w0 w1',
    });
    expect(stateOf('session:1')).toMatchObject({
      kind: 'delivered',
      hasAudio: true,
      needsReview: 'altered',
    });
  });

  it('does so when it comes late', async () => {
    await store.put(makeQueueItem({ ...SPOKEN, dictationId: 'old' }));
    bench.queue.wake();
    await bench.until(() => stateOf('old:0')?.kind === 'answered');
    await bench.queue.claim('old');
    await bench.queue.markDelivered('old', 'altered', new Map([[0, null]]), 'waits');
    expect(stateOf('old:0')).toMatchObject({
      kind: 'delivered',
      hasAudio: true,
      needsReview: 'altered',
    });
  });
});

describe('a text that a worker gave before it died, its answer not stored', () => {
  it.each([
    ['was doubted', true, 'incomplete'],
    ['was changed by the page', 'altered', null],
  ] as const)(
    'keeps its audio where it %s, and what is under way brings it no more',
    async (...row) => {
      const [, verdict, needsReview] = row;
      const answer = createDeferred<ServerAction>();
      behave = () => answer.promise;
      await store.put(makeQueueItem({ ...SPOKEN, dictationId: 'old' }));
      bench.queue.wake();
      await bench.until(() => server.calls.length === 1);
      await bench.queue.markDelivered('old', verdict, new Map([[0, needsReview]]), 'waits');
      const doubted = {
        kind: 'delivered',
        hasAudio: true,
        needsReview: needsReview ?? 'altered',
        text: '',
      };
      expect((await store.list()).map(({ state }) => state)).toEqual([doubted]);
      answer.resolve(answerText('hej'));
      // The next one is asked for when the one before has its end.
      await store.put(makeQueueItem({ ...SPOKEN, dictationId: 'old', number: 1 }));
      bench.queue.wake();
      await bench.until(() => stateOf('old:1')?.kind === 'answered');
      expect(stateOf('old:0')).toEqual(doubted);
    },
  );
});

describe('a doubted chunk that a person tries again', () => {
  it('is asked for under a name of its own, and its text is offered', async () => {
    behave = silent;
    await bench.queue.submit(makeQueueItem(SPOKEN));
    await deliverAll(bench.queue, 'session', true);
    behave = echo;
    for (const text of ['text of session:0~1', 'text of session:0~2']) {
      await bench.queue.retry('session:0');
      await bench.until(() => stateOf('session:0')?.kind === 'answered');
      expect(stateOf('session:0')).toEqual({ kind: 'answered', text, needsReview: null });
      expect(await bench.queue.claim('session')).toEqual({ text, chunks: new Map([[0, null]]) });
      await bench.queue.endClaim('session');
      if (text.endsWith('1'))
        await bench.queue.markDelivered('session', 'altered', new Map([[0, null]]), 'waits');
    }
    await bench.queue.markDelivered('session', true, new Map([[0, null]]), 'waits');
    expect(await store.list()).toEqual([]);
  });

  it('keeps that name when its first try fails', async () => {
    behave = silent;
    await bench.queue.submit(makeQueueItem(SPOKEN));
    await deliverAll(bench.queue, 'session', true);
    behave = () => answerError(500, 'down');
    await bench.queue.retry('session:0');
    await bench.advanceUntil(() => bench.attempts.length >= 9);
    const keys = server.calls.map(({ idempotencyKey }) => idempotencyKey);
    expect(keys.slice(1).every((key) => key === 'session:0~1')).toBe(true);
    expect((await store.list())[0]).toMatchObject({ asks: 1 });
  });
});
