import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AppOptions } from '../../../server/app.ts';
import { createFakeClock, type FakeClock } from '../../helpers/fake-clock.ts';
import { createFakeEngine, type FakeEngine } from '../../helpers/fake-engine.ts';
import {
  postSpeech,
  type RunningServer,
  speechForm,
  startServer,
} from '../../helpers/running-server.ts';
import { tone, waveFile } from '../../helpers/wave-file.ts';

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
    (await callNumber(1)).answer('hi');
    await first;
    const { body } = await send('a', speechForm(WAV, { language: 'en-US' }));
    expect(body.transcription).toBe('hi');
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
  ])('%s: one cannot find out, take or squat on the key of another', async (_, access, headers) => {
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
  });
});
