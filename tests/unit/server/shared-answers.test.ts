import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createRedisStore } from '../../../server/answers/redis-store.ts';
import type { AnswerStore } from '../../../server/answers/shared-answers.ts';
import { type StoreServer, startStoreServer } from '../../helpers/answer-store-server.ts';
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
