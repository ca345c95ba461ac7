import { afterEach, expect, test, vi } from 'vitest';
import { createFakeEngine, type FakeEngine } from '../../helpers/fake-engine.ts';
import { formBody, postHead, rawConnection } from '../../helpers/raw-http.ts';
import {
  postSpeech,
  type RunningServer,
  readJson,
  speechForm,
  startServer,
} from '../../helpers/running-server.ts';
import { tone, waveFile } from '../../helpers/wave-file.ts';

const WAV = waveFile(16_000, tone(440, 16_000, 0.5));
const BIG_WAV = waveFile(16_000, tone(440, 16_000, 60));

let fake: FakeEngine;
let server: RunningServer;
afterEach(() => {
  for (const call of fake.calls) call.answer('late');
  return server.close();
});

/** A server that stops while one transcription runs. */
async function stopping(lingerMs = 1_000) {
  fake = createFakeEngine(null);
  server = await startServer({ engine: fake.engine, limits: { lingerMs } });
  const running = postSpeech(server, speechForm(WAV));
  await expect.poll(() => fake.calls.length).toBe(1);
  return {
    running,
    stop: () => {
      let isOver = false;
      const over = server.close().then(() => {
        isOver = true;
      });
      return { over, isOver: () => isOver };
    },
  };
}

test('from the first moment of a stop nothing says ready, and new work is told to come again', async () => {
  const { running, stop } = await stopping();
  const { over } = stop();
  const ready = await fetch(`${server.url}/readyz`);
  expect(ready.status).toBe(503);
  expect(await ready.json()).toEqual({ status: 'stopping', reason: 'the server is stopping' });
  expect((await fetch(`${server.adminUrl}/readyz`)).status).toBe(503);
  expect((await fetch(`${server.url}/livez`)).status).toBe(200);
  const health = await readJson(fetch(`${server.url}/api/health`));
  expect([health.status, health.body.status]).toEqual([503, 'stopping']);
  for (let sent = 0; sent < 5; sent++) {
    // Large, so that the answer comes while it is still being sent.
    const refused = await postSpeech(server, speechForm(BIG_WAV));
    expect([refused.status, refused.body.error?.code]).toEqual([503, 'shutting_down']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  fake.calls[0]?.answer('finished');
  expect((await running).body.transcription).toBe('finished');
  await over;
});

test('what takes longer than ten seconds is answered all the same, and the stop is in good order', async () => {
  const { running, stop } = await stopping();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { over, isOver } = stop();
  await vi.advanceTimersByTimeAsync(55_000);
  vi.useRealTimers();
  expect(isOver()).toBe(false);
  fake.calls[0]?.answer('finished');
  const answer = await running;
  expect([answer.status, answer.body.transcription]).toEqual([200, 'finished']);
  await over;
});

test('half-sent uploads end with 503, and do not hold the stop', async () => {
  const { running, stop } = await stopping(300);
  const body = formBody(BIG_WAV);
  const half = await rawConnection(server.url, postHead(body.length));
  half.socket.write(body.subarray(0, 100_000));
  const silent = await rawConnection(server.url, postHead(body.length));
  await expect.poll(async () => (await fetch(`${server.adminUrl}/metrics`)).status).toBe(200);
  const startedMs = performance.now();
  const { over } = stop();
  for (const upload of [half, silent]) {
    await expect.poll(upload.status, { timeout: 3_000 }).toBe(503);
    expect(upload.text()).toMatch(/retry-after: \d+[\s\S]*shutting_down/i);
  }
  fake.calls[0]?.answer('finished');
  expect((await running).status).toBe(200);
  await over;
  expect(performance.now() - startedMs).toBeLessThan(3_000);
});

test('a client that sends on after its 503 reads the answer, and no broken pipe', async () => {
  const { running, stop } = await stopping();
  const body = formBody(BIG_WAV);
  const upload = await rawConnection(server.url, postHead(body.length));
  let failed: Error | null = null;
  upload.socket.on('error', (error) => {
    failed = error;
  });
  const { over } = stop();
  for (let at = 0; at < body.length; at += 100_000) {
    upload.socket.write(body.subarray(at, at + 100_000));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await expect.poll(upload.status).toBe(503);
  expect(failed).toBeNull();
  upload.socket.end();
  fake.calls[0]?.answer('finished');
  await running;
  await over;
});

test('a page that reads its file slowly does not hold the stop', async () => {
  fake = createFakeEngine();
  server = await startServer({
    engine: fake.engine,
    limits: { lingerMs: 300 },
    pages: {
      kind: 'handler',
      handle: (_, response) => response.end(Buffer.alloc(32 * 1024 * 1024)),
    },
  });
  const reader = await rawConnection(server.url, 'GET /page HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await expect.poll(reader.status).toBe(200);
  reader.socket.pause();
  const startedMs = performance.now();
  await server.close();
  expect(performance.now() - startedMs).toBeLessThan(3_000);
});
