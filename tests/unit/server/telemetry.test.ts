import { AsyncLocalStorage } from 'node:async_hooks';
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
import { expect, test } from 'vitest';
import { startTelemetry } from '../../../server/telemetry/telemetry.ts';
import { createFakeEngine } from '../../helpers/fake-engine.ts';
import { fixture, postSpeech, speechForm, startServer } from '../../helpers/running-server.ts';

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
  context.setGlobalContextManager(manager as Parameters<typeof context.setGlobalContextManager>[0]);
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
