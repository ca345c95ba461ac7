import { afterEach, expect, test } from 'vitest';
import { createFakeEngine } from '../../helpers/fake-engine.ts';
import {
  postSpeech,
  type RunningServer,
  speechForm,
  startServer,
} from '../../helpers/running-server.ts';
import { tone, waveFile } from '../../helpers/wave-file.ts';

let server: RunningServer;
afterEach(() => server.close());

test('gives Prometheus figures of requests, audio, queue and engine, and no words', async () => {
  const fake = createFakeEngine('the secret diagnosis');
  server = await startServer({ engine: fake.engine });
  const file = waveFile(16_000, tone(440, 16_000, 0.5));
  await postSpeech(server, speechForm(file));
  await postSpeech(server, speechForm(file, { fast: 'maybe' }));
  await fetch(`${server.url}/api/health?name=anna`);
  const answer = await fetch(`${server.adminUrl}/metrics`);
  expect(answer.headers.get('content-type')).toContain('text/plain');
  const text = await answer.text();
  const route = 'route="/api/asr/vad"';
  expect(text).toContain(`diktera_requests_total{${route},status="200",code=""} 1`);
  expect(text).toContain(`diktera_requests_total{${route},status="400",code="field_invalid"} 1`);
  expect(text).toContain('diktera_audio_seconds_total{engine="fake"} 0.5');
  expect(text).toContain(`diktera_upload_bytes_total ${file.length}`);
  expect(text).toContain('diktera_request_duration_seconds_count{status="200"} 1');
  expect(text).toContain('diktera_queue_running 0');
  expect(text).toContain('diktera_engine_ready{engine="fake"} 1');
  expect(text).toMatch(/^diktera_memory_bytes \d{8,}$/m);
  expect(text).toMatch(/process_resident_memory_bytes \d/);
  expect(text).not.toMatch(/secret|diagnosis|anna/);
  fake.set({ kind: 'loading' });
  expect(await (await fetch(`${server.adminUrl}/metrics`)).text()).toContain(
    'diktera_engine_ready{engine="fake"} 0',
  );
});

test('an answer that is repeated is no audio transcribed, and a client that left is counted', async () => {
  const fake = createFakeEngine(null);
  server = await startServer({ engine: fake.engine });
  const file = waveFile(16_000, tone(440, 16_000, 0.5));
  const send = (init: RequestInit = {}) =>
    postSpeech(server, speechForm(file), { headers: { 'idempotency-key': 'a' }, ...init });
  const first = send();
  await expect.poll(() => fake.calls.length).toBe(1);
  fake.calls[0]?.answer('once');
  await first;
  expect((await send()).body.transcription).toBe('once');
  expect((await send()).body.transcription).toBe('once');

  const leaving = new AbortController();
  const lost = postSpeech(server, speechForm(file), { signal: leaving.signal });
  await expect.poll(() => fake.calls.length).toBe(2);
  leaving.abort();
  await expect(lost).rejects.toThrow();
  await expect.poll(() => fake.calls[1]?.signal.aborted).toBe(true);
  fake.calls[1]?.fail(new Error('stopped'));

  const figures = async () => (await fetch(`${server.adminUrl}/metrics`)).text();
  const route = 'route="/api/asr/vad"';
  await expect.poll(figures).toContain(`${route},status="499",code="client_closed"} 1`);
  expect(await figures()).toContain(`${route},status="200",code=""} 3`);
  expect(await figures()).toContain('diktera_audio_seconds_total{engine="fake"} 0.5');
});
