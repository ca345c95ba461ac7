import { Writable } from 'node:stream';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createAnswerMemory } from '../../../server/answers/answer-memory.ts';
import { createRedisStore } from '../../../server/answers/redis-store.ts';
import { type AnswerStore, createSharedAnswers } from '../../../server/answers/shared-answers.ts';
import { type StoreServer, startStoreServer } from '../../helpers/answer-store-server.ts';
import { createFakeClock } from '../../helpers/fake-clock.ts';
import { createFakeEngine, type FakeEngine } from '../../helpers/fake-engine.ts';
import {
  postSpeech,
  type RunningServer,
  speechForm,
  startServer,
} from '../../helpers/running-server.ts';
import { tone, waveFile } from '../../helpers/wave-file.ts';

const WAV = waveFile(16_000, tone(440, 16_000, 0.5));

/** A store that somebody else writes to as well. */
let storeServer: StoreServer;
let intruder: Redis;
let fake: FakeEngine;
let server: RunningServer;
let log = '';
let keys: string[] = [];
/** Written in before the server's next claim. */
let poison: string | null = null;

beforeEach(async () => {
  log = '';
  keys = [];
  poison = null;
  storeServer = await startStoreServer();
  intruder = new Redis(storeServer.url);
  const real = createRedisStore(storeServer.url, () => undefined);
  const answerStore: AnswerStore = {
    ...real,
    async claim(key, value, ttlMs) {
      keys.push(key);
      if (poison !== null) await intruder.set(key, poison, 'PX', 600_000);
      poison = null;
      return real.claim(key, value, ttlMs);
    },
  };
  const stream = new Writable({
    write(chunk, _encoding, done) {
      log += chunk;
      done();
    },
  });
  fake = createFakeEngine(null);
  server = await startServer({
    engine: fake.engine,
    answerStore,
    logger: { level: 'trace', stream },
  });
});
afterEach(async () => {
  for (const call of fake.calls) call.answer('late');
  await server.close();
  intruder.disconnect();
  await storeServer.close();
});

const send = () => postSpeech(server, speechForm(WAV), { headers: { 'idempotency-key': 'a' } });

describe('a value that no server of ours wrote', () => {
  test.each([
    ['no JSON', 'hush {"state'],
    ['null', 'null'],
    ['a number', '5'],
    ['a text', '"hush"'],
    ['a list', '["hush"]'],
    ['nothing in it', '{}'],
    ['a claim of nobody', '{"state":"running","fingerprint":"f"}'],
    ['an answer that is a text', '{"state":"done","fingerprint":"f","answer":"hush"}'],
    [
      'an answer with holes',
      '{"state":"done","fingerprint":"f","answer":{"transcription":"hush","language":"sv"}}',
    ],
    ['a state nobody knows', '{"state":"hush","fingerprint":"f","owner":"o"}'],
  ])('%s: deleted, counted, and the work is done', async (_, value) => {
    poison = value;
    const answer = send();
    await expect.poll(() => fake.calls.length).toBe(1);
    fake.calls[0]?.answer('real words');
    expect((await answer).body.transcription).toBe('real words');
    const figures = await (await fetch(`${server.adminUrl}/metrics`)).text();
    expect(figures).toContain('diktera_stored_answers_bad_total 1');
    expect(log).toContain('a value in the answer store was none of ours');
    expect(log).not.toContain('hush');
    expect(await intruder.get(keys[0] ?? '')).toContain('real words');
  });
});

describe('a claim that another server has by now', () => {
  const OTHERS = JSON.stringify({ state: 'running', fingerprint: 'f', owner: 'another' });

  test('is not taken away by a failure', async () => {
    const answer = send();
    await expect.poll(() => fake.calls.length).toBe(1);
    await intruder.set(keys[0] ?? '', OTHERS, 'PX', 600_000);
    fake.calls[0]?.fail(new Error('no'));
    expect((await answer).status).toBe(500);
    expect(await intruder.get(keys[0] ?? '')).toBe(OTHERS);
  });

  test('is not overwritten by an answer, which its own client gets all the same', async () => {
    const answer = send();
    await expect.poll(() => fake.calls.length).toBe(1);
    await intruder.set(keys[0] ?? '', OTHERS, 'PX', 600_000);
    fake.calls[0]?.answer('words');
    expect((await answer).body.transcription).toBe('words');
    expect(await intruder.get(keys[0] ?? '')).toBe(OTHERS);
  });
});

test('renewing touches only what is one’s own', async () => {
  const store = createRedisStore(storeServer.url, () => undefined);
  expect(await store.claim('k', 'mine', 60_000)).toBe(true);
  expect(await store.renew('k', 'mine', 60_000)).toBe(true);
  expect(await store.renew('k', 'theirs', 60_000)).toBe(false);
  expect(await store.replace('k', 'theirs', 'answer', 60_000)).toBe(false);
  expect(await store.replace('k', 'mine', 'answer', 60_000)).toBe(true);
  expect(await store.renew('gone', 'mine', 60_000)).toBe(false);
  expect(await store.read('gone')).toBeNull();
  expect(await store.read('k')).toBe('answer');
  await store.forget('k', 'mine');
  expect(await store.read('k')).toBe('answer');
  await store.forget('k', 'answer');
  expect(await store.read('k')).toBeNull();
  await store.close();
});

test('a server that is too busy to read for a while does not take the store for gone', async () => {
  const store = createRedisStore(storeServer.url, () => undefined);
  expect(await store.claim('before', 'mine', 60_000)).toBe(true);
  const claimed = store.claim('k', 'mine', 60_000);
  const untilMs = performance.now() + 1_500;
  while (performance.now() < untilMs);
  expect(await claimed).toBe(true);
  expect(await store.read('k')).toBe('mine');
  await store.close();
});

/** Asks while the store says that `value` has the key; gives what comes within two minutes. */
async function askedOfStoreWith(value: string | null): Promise<unknown> {
  const clock = createFakeClock();
  const store: AnswerStore = {
    claim: async () => false,
    read: async () => value,
    renew: async () => false,
    replace: async () => false,
    forget: async () => undefined,
    close: async () => undefined,
  };
  const shared = createSharedAnswers<string>({
    store,
    local: createAnswerMemory({
      clock,
      keptMs: 1_000,
      maxKept: 5,
      maxBytes: 1e6,
      bytesOf: () => 1,
    }),
    clock,
    keptMs: 1_000,
    isAnswer: (given): given is string => typeof given === 'string',
    onStoreFailure: () => undefined,
    onBadValue: () => undefined,
  });
  let outcome: unknown = null;
  const note = (given: unknown) => {
    outcome = given;
  };
  const never = new AbortController().signal;
  shared.answer('a', 'f', never, async () => 'words').then(note, note);
  await clock.advance(119_000);
  return outcome;
}

test('a claim that never ends: whoever waits is told to come again within two minutes', async () => {
  const claim = JSON.stringify({ state: 'running', fingerprint: 'f', owner: 'o' });
  expect(await askedOfStoreWith(claim)).toMatchObject({ status: 503, retryAfterS: 5 });
});

test.each([
  ['a value that is put back whenever it is deleted', 'null'],
  ['a key that is taken by nothing', null],
])('%s: the work is done without the store', async (_, value) => {
  expect(await askedOfStoreWith(value)).toBe('words');
});
