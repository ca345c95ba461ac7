import { AsyncLocalStorage } from 'node:async_hooks';
import { spawn } from 'node:child_process';
import {
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import {
  createMemoryGuard,
  createReadiness,
  treeMemoryBytes,
} from '../../../server/operations/readiness.ts';
import { startTelemetry } from '../../../server/telemetry/telemetry.ts';
import type { TextRules } from '../../../server/text/text-rules.ts';
import { createFakeClock, type FakeClock } from '../../helpers/fake-clock.ts';
import { createFakeEngine, type FakeEngine } from '../../helpers/fake-engine.ts';
import {
  fixture,
  postSpeech,
  type RunningServer,
  readJson,
  speechForm,
  startServer,
} from '../../helpers/running-server.ts';
import { tone, waveFile } from '../../helpers/wave-file.ts';

describe('health', () => {
  const WAV = waveFile(16_000, tone(440, 16_000, 0.5));
  let server: RunningServer;
  afterEach(() => server.close());

  const health = () => readJson(fetch(`${server.url}/api/health`));

  test('while the engine loads, health and transcription say so and when to come back', async () => {
    const fake = createFakeEngine();
    fake.set({ kind: 'loading' });
    server = await startServer({ engine: fake.engine });

    const loading = await health();
    expect(loading.status).toBe(503);
    expect(loading.headers.get('retry-after')).toBe('1');
    expect(loading.body).toMatchObject({
      status: 'loading',
      reason: 'the speech engine is loading',
      languages: ['en'],
    });
    const early = await postSpeech(server, speechForm(WAV));
    expect(early.status).toBe(503);
    expect(early.headers.get('retry-after')).toBe('1');
    expect(early.body.error?.code).toBe('engine_loading');
    // A request that can never succeed is refused at once.
    expect((await postSpeech(server, speechForm(WAV, { language: 'sv' }))).status).toBe(422);

    fake.set({ kind: 'ready' });
    expect((await health()).status).toBe(200);
    expect((await postSpeech(server, speechForm(WAV))).status).toBe(200);
  });

  test('an engine that failed says why', async () => {
    const fake = createFakeEngine();
    fake.set({ kind: 'failed', reason: 'the weights are wrong' });
    server = await startServer({ engine: fake.engine });
    const failed = await health();
    expect(failed.status).toBe(503);
    expect(failed.body).toMatchObject({ status: 'failed', reason: 'the weights are wrong' });
    const refused = await postSpeech(server, speechForm(WAV));
    expect(refused.status).toBe(503);
    expect(refused.body.error).toMatchObject({ code: 'engine_failed' });
    expect(refused.body.error?.message).toContain('the weights are wrong');
  });

  test('lists what it takes and does, and that the text rules do nothing yet', async () => {
    server = await startServer({ engine: createFakeEngine().engine, limits: { concurrency: 3 } });
    expect((await health()).body).toEqual({
      status: 'ready',
      reason: null,
      engine: 'fake',
      model: 'fake-1',
      languages: ['en'],
      defaultLanguage: 'en',
      engines: [
        { engine: 'fake', model: 'fake-1', languages: ['en'], status: 'ready', reason: null },
      ],
      audioTypes: [
        'audio/webm;codecs=opus',
        'audio/mp4;codecs=opus',
        'audio/ogg;codecs=opus',
        'audio/wav',
        'audio/mpeg',
        'audio/flac',
      ],
      freePieces: false,
      vocabularyCharacters: 0,
      idempotencyKeys: true,
      times: true,
      textRules: { removePii: 'inactive', fixSpelling: 'inactive' },
      queue: { running: 0, waiting: 0, concurrency: 3, maxWaiting: 64 },
    });
  });

  test('hands the text and the wishes to the text rules', async () => {
    const shouting: TextRules = {
      states: { removePii: 'active', fixSpelling: 'inactive' },
      apply: async (text, { removePii, fixSpelling, language }) => ({
        text: `${text.toUpperCase()} ${removePii} ${fixSpelling} ${language}`,
        outcomes: { removePii: 'applied', fixSpelling: 'off' },
      }),
    };
    server = await startServer({ engine: createFakeEngine().engine, textRules: shouting });
    const { body } = await postSpeech(
      server,
      speechForm(WAV, { removePii: 'true', fixSpelling: 'false' }),
    );
    expect(body.transcription).toBe('FEVER true false en');
    expect(body.textRules).toEqual({ removePii: 'applied', fixSpelling: 'off' });
    expect((await health()).body.textRules).toEqual(shouting.states);
  });
});

describe('probes', () => {
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
});

describe('metrics', () => {
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
});

describe('telemetry', () => {
  const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

  /** As the SDK for Node has it, which is no part of the default install. */
  function followContexts(): void {
    const storage = new AsyncLocalStorage<Context>();
    const manager = {
      active: () => storage.getStore() ?? ROOT_CONTEXT,
      with: (
        active: Context,
        run: (...args: unknown[]) => unknown,
        self?: unknown,
        ...args: unknown[]
      ) => storage.run(active, () => run.apply(self, args)),
      bind: <T>(_active: Context, target: T) => target,
      enable: () => manager,
      disable: () => manager,
    };
    context.setGlobalContextManager(
      manager as Parameters<typeof context.setGlobalContextManager>[0],
    );
  }

  test('each request of the API is a span of the trace it came with, with figures and no words', async () => {
    const exporter = new InMemorySpanExporter();
    trace.setGlobalTracerProvider(
      new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
    );
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
    followContexts();
    const fake = createFakeEngine('the secret diagnosis');
    const server = await startServer({ engine: fake.engine });
    const headers = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` };
    const form = speechForm(fixture('speech-en.ogg'), {}, 'anna.ogg');
    const answer = await postSpeech(server, form, { headers });
    await postSpeech(server, speechForm(fixture('speech-en.ogg'), { fast: 'maybe' }));
    fake.set({ kind: 'failed', reason: 'gone' });
    await postSpeech(server, form);
    await fetch(`${server.url}/livez`);
    fake.set({ kind: 'ready' });
    await postSpeech(server, speechForm(fixture('speech-en-aac.mp4')));
    await server.close();

    const all = exporter.getFinishedSpans();
    const spans = all.filter(({ name }) => name === 'POST /api/asr/vad');
    expect(spans).toHaveLength(4);
    const [good, bad, failed, unread] = spans;
    const stepsOf = (request: typeof good) =>
      all.filter(
        ({ parentSpanContext }) => parentSpanContext?.spanId === request?.spanContext().spanId,
      );
    const steps = stepsOf(good);
    expect(steps.map(({ name }) => name)).toEqual(['decode', 'recognise', 'text rules']);
    expect(steps[0]?.attributes).toMatchObject({ 'diktera.complete': true });
    expect(steps[1]?.attributes).toEqual({ 'diktera.engine': 'fake' });
    const [refused, ...others] = stepsOf(unread);
    expect(refused).toMatchObject({
      name: 'decode',
      attributes: { 'error.type': 'audio_unsupported' },
      status: { code: SpanStatusCode.UNSET },
    });
    expect(others).toEqual([]);
    expect(all).toHaveLength(8);
    expect(good?.spanContext().traceId).toBe(TRACE);
    expect(good?.attributes).toMatchObject({
      'http.response.status_code': 200,
      'diktera.engine': 'fake',
      'diktera.upload_bytes': fixture('speech-en.ogg').length,
      'diktera.request_id': answer.headers.get('x-request-id'),
    });
    expect(bad?.attributes).toMatchObject({ 'error.type': 'field_invalid' });
    expect(bad?.status.code).toBe(SpanStatusCode.UNSET);
    expect(failed?.status.code).toBe(SpanStatusCode.ERROR);
    expect(JSON.stringify(all.map(({ attributes }) => attributes))).not.toMatch(/secret|anna/);
  });

  test('without an address nothing is loaded; without the package it is said how to get it', async () => {
    const never = () => Promise.reject(new Error('loaded'));
    await (await startTelemetry(null, never))();
    const missing = Object.assign(new Error('no'), { code: 'ERR_MODULE_NOT_FOUND' });
    await expect(
      startTelemetry('http://127.0.0.1:4318', () => Promise.reject(missing)),
    ).rejects.toThrow('npm i --no-save @opentelemetry/sdk-node');
  });

  test('the SDK is started, and given time to send its last when the server ends', async () => {
    const calls: string[] = [];
    class NodeSDK {
      start() {
        calls.push('start');
      }
      async shutdown() {
        calls.push('shutdown');
        throw new Error('the collector is away');
      }
    }
    const stop = await startTelemetry('http://127.0.0.1:4318', async () => ({ NodeSDK }));
    expect(calls).toEqual(['start']);
    await stop();
    expect(calls).toEqual(['start', 'shutdown']);
  });
});
