import { spawn } from 'node:child_process';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import {
  createMemoryGuard,
  createReadiness,
  treeMemoryBytes,
} from '../../../server/operations/readiness.ts';
import { createFakeClock, type FakeClock } from '../../helpers/fake-clock.ts';
import { createFakeEngine, type FakeEngine } from '../../helpers/fake-engine.ts';
import {
  postSpeech,
  type RunningServer,
  speechForm,
  startServer,
} from '../../helpers/running-server.ts';
import { tone, waveFile } from '../../helpers/wave-file.ts';

const WAV = waveFile(16_000, tone(440, 16_000, 0.2));

let fake: FakeEngine;
let clock: FakeClock;
let server: RunningServer;
afterEach(() => server?.close());
async function start(limits = {}) {
  clock = createFakeClock();
  fake = createFakeEngine(null);
  server = await startServer({
    engine: fake.engine,
    clock,
    limits: { concurrency: 4, ...limits },
    access: { trustProxy: 1 },
  });
}
const get = async (path: string, url = server.url) => {
  const answer = await fetch(url + path);
  return { status: answer.status, body: await answer.json(), headers: answer.headers };
};
async function transcribe(from: string, isGood: boolean) {
  const before = fake.calls.length;
  const headers = { 'x-forwarded-for': from };
  const answer = postSpeech(server, speechForm(WAV), { headers });
  await expect.poll(() => fake.calls.length).toBe(before + 1);
  if (isGood) fake.calls[before]?.answer('a');
  else fake.calls[before]?.fail(new Error('no'));
  return (await answer).status;
}

test('alive is not ready: a server whose engine loads or is away lives on', async () => {
  await start();
  fake.set({ kind: 'loading' });
  expect((await get('/livez')).body).toEqual({ status: 'live', reason: null });
  const loading = await get('/readyz');
  expect([loading.status, loading.body.status]).toEqual([503, 'loading']);
  expect(loading.headers.get('retry-after')).toBe('1');
  fake.set({ kind: 'failed', reason: 'the weights are wrong' });
  expect((await get('/livez')).status).toBe(200);
  expect((await get('/readyz')).body).toEqual({
    status: 'failing',
    reason: 'the weights are wrong',
  });
  fake.set({ kind: 'ready' });
  for (const url of [server.url, server.adminUrl]) {
    expect((await get('/readyz', url)).body).toEqual({ status: 'ready', reason: null });
  }
});

test('not ready while most transcriptions fail, and tried again after a minute', async () => {
  await start();
  for (let sent = 0; sent < 9; sent++) {
    expect(await transcribe(`192.0.2.${sent % 3}`, false)).toBe(500);
    expect((await get('/readyz')).status).toBe(200);
  }
  await transcribe('192.0.2.9', false);
  const failing = await get('/readyz');
  expect([failing.status, failing.body.reason]).toEqual([
    503,
    'most transcriptions of the last minute failed',
  ]);
  // Whoever asks this server all the same is answered: nothing is lost by trying.
  expect(await transcribe('192.0.2.1', true)).toBe(200);
  await clock.advance(60_000);
  expect((await get('/readyz')).status).toBe(200);
});

test('what clients do wrong, and one client that fails alone among others, says nothing of the server', async () => {
  await start();
  for (let sent = 0; sent < 20; sent++) {
    await postSpeech(server, speechForm(Buffer.from('no audio')));
  }
  expect((await get('/readyz')).status).toBe(200);
  for (let sent = 0; sent < 12; sent++) await transcribe(`192.0.2.${sent}`, true);
  for (let sent = 0; sent < 30; sent++) await transcribe('203.0.113.1', false);
  expect((await get('/readyz')).status).toBe(200);
});

describe('the memory guard', () => {
  test('new work is refused before the system ends the process, and taken again after', async () => {
    await start({ maxMemoryBytes: 1 });
    const refused = await postSpeech(server, speechForm(WAV));
    expect([refused.status, refused.body.error?.code]).toEqual([503, 'queue_full']);
    expect(refused.headers.get('retry-after')).toBe('10');
    expect((await get('/readyz')).body.reason).toBe('the server has no memory left');
    expect((await get('/livez')).status).toBe(200);
    let bytes = 11;
    const guard = createMemoryGuard(10, clock, () => bytes);
    expect(() => guard.requireRoom()).toThrow(/no memory left/);
    bytes = 9;
    await clock.advance(250);
    guard.requireRoom();
  });

  test.runIf(process.platform === 'linux')(
    'counts what processes of the server hold, however deep, until they end',
    async () => {
      const HELD_BYTES = 300e6;
      const hold = `const held = Buffer.alloc(${HELD_BYTES}, 1); setInterval(() => held.at(0), 1e6)`;
      const script = `const { spawn } = require('node:child_process');
        const child = spawn(process.execPath, ['-e', ${JSON.stringify(hold)}]);
        process.on('SIGTERM', () => { child.on('exit', () => process.exit()); child.kill('SIGKILL'); })`;
      const limits = { maxMemoryBytes: treeMemoryBytes() + HELD_BYTES / 2 };
      server = await startServer({ engine: createFakeEngine().engine, limits });
      const status = async () => (await postSpeech(server, speechForm(WAV))).status;
      expect(await status()).toBe(200);
      const parent = spawn(process.execPath, ['-e', script]);
      onTestFinished(() => void parent.kill('SIGTERM'));
      await expect.poll(status, { timeout: 20_000 }).toBe(503);
      parent.kill('SIGTERM');
      await expect.poll(status, { timeout: 10_000 }).toBe(200);
    },
    40_000,
  );
});

test('a clock set back does not make old failures new', async () => {
  const fakeClock = createFakeClock();
  const { engine } = createFakeEngine();
  const readiness = createReadiness({ engines: engine, clock: fakeClock, isFull: () => false });
  for (let sent = 0; sent < 20; sent++) readiness.note(`client ${sent}`, 'engine_failed');
  expect(readiness.state().kind).toBe('failing');
  fakeClock.jump(-3_600_000);
  expect(readiness.state().kind).toBe('ready');
});

test('says which version runs', async () => {
  await start();
  const { body } = await get('/version');
  expect(body).toMatchObject({ name: 'diktera', node: process.version });
  expect(body.version).toMatch(/^\d+\.\d+\.\d+/);
});
