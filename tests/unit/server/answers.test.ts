import { Writable } from 'node:stream';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createAnswerMemory } from '../../../server/answers/answer-memory.ts';
import { createRedisStore } from '../../../server/answers/redis-store.ts';
import { type AnswerStore, createSharedAnswers } from '../../../server/answers/shared-answers.ts';
import type { AppOptions } from '../../../server/app.ts';
import { clientClosed } from '../../../server/core/api-error.ts';
import { type StoreServer, startStoreServer } from '../../helpers/answer-store-server.ts';
import { collectGarbage } from '../../helpers/collect-garbage.ts';
import { createFakeClock, type FakeClock } from '../../helpers/fake-clock.ts';
import { createFakeEngine, type FakeEngine } from '../../helpers/fake-engine.ts';
import {
  postSpeech,
  type RunningServer,
  speechForm,
  startServer,
} from '../../helpers/running-server.ts';
import { tone, waveFile } from '../../helpers/wave-file.ts';

describe('the memory of answers', () => {
  function setUp() {
    const memory = createAnswerMemory<string>({
      clock: createFakeClock(),
      keptMs: 1_000,
      maxKept: 10,
      maxBytes: 1_000,
      bytesOf: (text) => text.length,
    });
    const works: { signal: AbortSignal; resolve(text: string): void }[] = [];
    /** Work as the queue does it: refused when nobody waits any more. */
    const begin = (signal: AbortSignal) =>
      new Promise<string>((resolve, reject) => {
        works.push({ signal, resolve });
        signal.addEventListener('abort', () => reject(clientClosed()));
      });
    const ask = (signal: AbortSignal) => memory.answer('key', 'content', signal, begin);
    return { ask, works };
  }

  test('one of two callers leaves: the other gets the answer', async () => {
    const { ask, works } = setUp();
    const [leaving, staying] = [new AbortController(), new AbortController()];
    const lost = ask(leaving.signal);
    const kept = ask(staying.signal);
    leaving.abort();
    await expect(lost).rejects.toMatchObject({ code: 'client_closed' });
    expect(works[0]?.signal.aborted).toBe(false);
    works[0]?.resolve('words');
    await expect(kept).resolves.toBe('words');
  });

  test('the last caller leaves: the work is told, and who comes next begins anew', async () => {
    const { ask, works } = setUp();
    const leaving = new AbortController();
    const lost = ask(leaving.signal);
    leaving.abort();
    expect(works[0]?.signal.aborted).toBe(true);
    // In the same breath, before the refused work is forgotten.
    const next = ask(new AbortController().signal);
    await expect(lost).rejects.toMatchObject({ code: 'client_closed' });
    await expect.poll(() => works.length).toBe(2);
    works[1]?.resolve('anew');
    await expect(next).resolves.toBe('anew');
  });

  /** Answers many keys one after another, keeping hold of none of them. */
  async function answerMany(count: number, limits: { maxKept: number; maxBytes: number }) {
    type Answer = { readonly words: string };
    const clock = createFakeClock();
    const memory = createAnswerMemory<Answer>({
      clock,
      keptMs: 600_000,
      bytesOf: ({ words }) => words.length,
      ...limits,
    });
    const given: WeakRef<Answer>[] = [];
    const never = new AbortController().signal;
    const ask = (index: number) =>
      memory.answer(`key ${index}`, 'content', never, async () => {
        const answer = { words: String(index % 10).repeat(1_000) };
        given.push(new WeakRef(answer));
        return answer;
      });
    for (let index = 0; index < count; index++) await ask(index);
    const held = async () => {
      await collectGarbage();
      return given.filter((answer) => answer.deref() !== undefined).length;
    };
    return { clock, held, given, ask };
  }

  test('the bytes kept are bounded, whatever their number', async () => {
    const { held, ask, given } = await answerMany(200, { maxKept: 500, maxBytes: 10_000 });
    expect(await held()).toBeLessThanOrEqual(11);
    // The newest are those that are kept, and one that is kept is not worked on again.
    await ask(199);
    expect(given).toHaveLength(200);
    await ask(0);
    expect(given).toHaveLength(201);
  });

  test('an answer larger than all that may be kept is given, and not kept', async () => {
    const { ask, given } = await answerMany(1, { maxKept: 5, maxBytes: 999 });
    await ask(0);
    expect(given).toHaveLength(2);
  });

  test('nothing is kept longer than it may be, though nobody asks', async () => {
    const { clock, held } = await answerMany(20, { maxKept: 500, maxBytes: 1e9 });
    await clock.advance(660_000);
    expect(await held()).toBe(0);
    expect(clock.waits()).toEqual([]);
  });
});

describe('an Idempotency-Key', () => {
  const WAV = waveFile(16_000, tone(440, 16_000, 0.5));
  const OTHER_WAV = waveFile(16_000, tone(441, 16_000, 0.5));

  let clock: FakeClock;
  let fake: FakeEngine;
  let server: RunningServer;

  beforeEach(async () => {
    clock = createFakeClock();
    fake = createFakeEngine(null);
    server = await startServer({
      engine: fake.engine,
      clock,
      limits: { answerKeptMs: 60_000, maxAnswersKept: 2, concurrency: 1 },
    });
  });
  afterEach(() => server.close());

  const send = (key: string, form = speechForm(WAV), init: RequestInit = {}) =>
    postSpeech(server, form, { headers: { 'idempotency-key': key }, ...init });

  async function callNumber(count: number) {
    await expect.poll(() => fake.calls.length).toBe(count);
    const call = fake.calls[count - 1];
    if (call === undefined) throw new Error('no such call');
    return call;
  }

  describe('the same key and content', () => {
    test('at the same time: one transcription, one answer for all', async () => {
      const all = Promise.all([send('a'), send('a'), send('a')]);
      (await callNumber(1)).answer('once');
      for (const { status, body } of await all) {
        expect(status).toBe(200);
        expect(body.transcription).toBe('once');
      }
      expect(fake.calls).toHaveLength(1);
    });

    test('later: the same answer, until it is forgotten', async () => {
      const first = send('a');
      (await callNumber(1)).answer('first');
      const answer = await first;
      await clock.advance(59_000);
      expect((await send('a')).body).toEqual(answer.body);
      await clock.advance(1_000);
      const again = send('a');
      (await callNumber(2)).answer('second');
      expect((await again).body.transcription).toBe('second');
    });

    test('after an error: tried again', async () => {
      const first = send('a');
      (await callNumber(1)).fail(new Error('out of order'));
      expect((await first).status).toBe(500);
      const second = send('a');
      (await callNumber(2)).answer('now');
      expect((await second).body.transcription).toBe('now');
    });

    test('after the client lost the connection: the answer waits for it', async () => {
      const leaving = new AbortController();
      const lost = send('a', speechForm(WAV), { signal: leaving.signal });
      const call = await callNumber(1);
      leaving.abort();
      await expect(lost).rejects.toThrow();
      call.answer('kept');
      expect((await send('a')).body.transcription).toBe('kept');
      expect(fake.calls).toHaveLength(1);
      expect(call.signal.aborted).toBe(false);
    });
  });

  describe('the same key for something else', () => {
    test.each([
      ['another file', speechForm(OTHER_WAV)],
      ['another field', speechForm(WAV, { removePii: 'true' })],
    ])('%s: 409, while it runs and after', async (_, other) => {
      const first = send('a');
      const call = await callNumber(1);
      expect((await send('a', other)).status).toBe(409);
      call.answer('first');
      await first;
      const { status, body } = await send('a', other);
      expect(status).toBe(409);
      expect(body.error?.code).toBe('idempotency_key_reused');
      expect(fake.calls).toHaveLength(1);
    });

    test('the same language written in two ways is the same', async () => {
      const first = send('a', speechForm(WAV, { language: '' }));
      (await callNumber(1)).answer('rest');
      await first;
      const { body } = await send('a', speechForm(WAV, { language: 'en-US' }));
      expect(body.transcription).toBe('rest');
    });
  });

  test('another key, or none, is another transcription', async () => {
    const first = send('a');
    (await callNumber(1)).answer('one');
    await first;
    const second = send('b');
    (await callNumber(2)).answer('two');
    expect((await second).body.transcription).toBe('two');
    const third = postSpeech(server, speechForm(WAV));
    (await callNumber(3)).answer('three');
    expect((await third).body.transcription).toBe('three');
  });

  test('keeps no more answers than it may: the oldest goes', async () => {
    for (const [index, key] of ['a', 'b', 'c'].entries()) {
      const answer = send(key);
      (await callNumber(index + 1)).answer(key);
      await answer;
    }
    expect((await send('c')).body.transcription).toBe('c');
    expect((await send('b')).body.transcription).toBe('b');
    const again = send('a');
    (await callNumber(4)).answer('a again');
    expect((await again).body.transcription).toBe('a again');
  });

  describe('keys belong to who sends them', () => {
    const TOKENS = ['first-token-of-16-chars', 'second-token-of-16-chars'];
    const restart = async (access: AppOptions['access']) => {
      await server.close();
      server = await startServer({ engine: fake.engine, clock, ...(access ? { access } : {}) });
    };
    const sendAs = (headers: Record<string, string>, file: Uint8Array) =>
      send('shared', speechForm(file), { headers: { 'idempotency-key': 'shared', ...headers } });

    test.each<[string, AppOptions['access'], readonly Record<string, string>[]]>([
      [
        'tokens',
        { apiTokens: TOKENS },
        TOKENS.map((token) => ({ authorization: `Bearer ${token}` })),
      ],
      [
        'addresses, where no token is needed',
        { trustProxy: 1 },
        ['192.0.2.1', '192.0.2.2'].map((ip) => ({ 'x-forwarded-for': ip })),
      ],
    ])(
      '%s: one cannot find out, take or squat on the key of another',
      async (_, access, headers) => {
        await restart(access);
        const [own = {}, others = {}] = headers;
        const first = sendAs(own, WAV);
        (await callNumber(1)).answer('of the first');
        expect((await first).body.transcription).toBe('of the first');
        const second = sendAs(others, OTHER_WAV);
        (await callNumber(2)).answer('of the second');
        expect((await second).status).toBe(200);
        const same = sendAs(others, OTHER_WAV);
        expect((await same).body.transcription).toBe('of the second');
        expect((await sendAs(own, WAV)).body.transcription).toBe('of the first');
      },
    );
  });
});

describe('answers that servers share', () => {
  const WAV = waveFile(16_000, tone(440, 16_000, 0.5));
  const OTHER_WAV = waveFile(16_000, tone(441, 16_000, 0.5));

  /** Two servers behind a balancer, with one store; ioredis on a real socket. */
  let store: StoreServer;
  let fakes: readonly [FakeEngine, FakeEngine];
  let servers: readonly RunningServer[] = [];
  let reads = 0;

  /** The real store, counting how often a server looks for an answer. */
  function countedStore(url: string): AnswerStore {
    const real = createRedisStore(url, () => undefined);
    return {
      ...real,
      read(key) {
        reads++;
        return real.read(key);
      },
    };
  }

  async function startOn(url: string) {
    fakes = [createFakeEngine(null), createFakeEngine(null)];
    servers = await Promise.all(
      fakes.map(({ engine }) => startServer({ engine, answerStore: countedStore(url) })),
    );
  }
  beforeEach(async () => {
    reads = 0;
    store = await startStoreServer();
    await startOn(store.url);
  });
  afterEach(async () => {
    for (const { calls } of fakes) for (const call of calls) call.answer('late');
    await Promise.all(servers.map((server) => server.close()));
    await store.close();
  });

  const send = (at: 0 | 1, key: string, file = WAV) =>
    postSpeech(servers[at]!, speechForm(file), { headers: { 'idempotency-key': key } });
  const callsOf = (at: 0 | 1) => fakes[at].calls;

  describe('two servers with one store', () => {
    test('the same key at both at once: one transcription, one answer', async () => {
      const first = send(0, 'a');
      await expect.poll(() => callsOf(0).length).toBe(1);
      const second = send(1, 'a');
      await expect.poll(() => reads).toBeGreaterThan(1);
      callsOf(0)[0]?.answer('once');
      expect((await first).body.transcription).toBe('once');
      expect((await second).body).toEqual((await first).body);
      expect(callsOf(1)).toHaveLength(0);
    });

    test('an answer given by one is repeated by the other', async () => {
      const first = send(0, 'a');
      await expect.poll(() => callsOf(0).length).toBe(1);
      callsOf(0)[0]?.answer('Åäö och "mer"');
      await first;
      expect((await send(1, 'a')).body.transcription).toBe('Åäö och "mer"');
      expect((await send(1, 'a', OTHER_WAV)).body.error?.code).toBe('idempotency_key_reused');
      expect(callsOf(1)).toHaveLength(0);
    });

    test('after an error at one, the other tries', async () => {
      const first = send(0, 'a');
      await expect.poll(() => callsOf(0).length).toBe(1);
      const second = send(1, 'a');
      callsOf(0)[0]?.fail(new Error('no'));
      expect((await first).status).toBe(500);
      await expect.poll(() => callsOf(1).length).toBe(1);
      callsOf(1)[0]?.answer('better');
      expect((await second).body.transcription).toBe('better');
    });

    test('without the store each works for itself', async () => {
      await store.close();
      const first = send(0, 'a');
      await expect.poll(() => callsOf(0).length, { timeout: 5_000 }).toBe(1);
      callsOf(0)[0]?.answer('alone');
      expect((await first).body.transcription).toBe('alone');
      expect((await send(0, 'a')).body.transcription).toBe('alone');
      store = await startStoreServer();
    });
  });
});

describe('a hostile store', () => {
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
});
