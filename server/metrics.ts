import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { TokenCheck } from './access/bearer-token.ts';
import type { TranscriptionEngine } from './engine/engine-port.ts';
import { factsOf } from './request-facts.ts';
import type { QueueLoad } from './work-queue.ts';

/** Where Prometheus asks. */
export const METRICS_PATH = '/metrics';

/** Seconds; a client gives up at 120. */
const DURATION_BUCKETS_S = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 120];

/** What is measured besides the requests. */
export type MetricsPorts = {
  readonly engine: TranscriptionEngine;
  readonly queueLoad: () => QueueLoad;
  /** Where tokens are needed, figures need one, too. */
  readonly checkToken: TokenCheck;
};

/** `GET /metrics` in Prometheus' text format: figures of requests, queue, engines and the process. */
export function addMetrics(
  app: FastifyInstance,
  { engine, queueLoad, checkToken }: MetricsPorts,
): void {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  const requests = new Counter({
    name: 'diktera_requests_total',
    help: 'Answers of the API, by route, status and error code.',
    labelNames: ['route', 'status', 'code'],
    registers,
  });
  const durations = new Histogram({
    name: 'diktera_request_duration_seconds',
    help: 'Time from the first byte of a transcription request to the end of its answer.',
    labelNames: ['status'],
    buckets: DURATION_BUCKETS_S,
    registers,
  });
  const audio = new Counter({
    name: 'diktera_audio_seconds_total',
    help: 'Audio transcribed, by engine.',
    labelNames: ['engine'],
    registers,
  });
  const uploaded = new Counter({
    name: 'diktera_upload_bytes_total',
    help: 'Bytes of audio files taken in.',
    registers,
  });
  gauge('diktera_queue_running', 'Transcriptions that run.', () => queueLoad().running);
  gauge('diktera_queue_waiting', 'Transcriptions that wait.', () => queueLoad().waiting);
  const ready = new Gauge({
    name: 'diktera_engine_ready',
    help: '1 when the engine can be asked, else 0.',
    labelNames: ['engine'],
    registers,
    collect() {
      for (const part of engine.parts ?? [engine]) {
        const isReady = part.state().status === 'ready' ? 1 : 0;
        ready.set({ engine: part.description.engine }, isReady);
      }
    },
  });

  function gauge(name: string, help: string, read: () => number): void {
    const made: Gauge = new Gauge({ name, help, registers, collect: () => made.set(read()) });
  }

  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url;
    if (route === undefined || !route.startsWith('/api/')) return;
    const status = String(reply.statusCode);
    const { errorCode = '', engine: engineName, audioMs, uploadBytes } = factsOf(request);
    requests.inc({ route, status, code: errorCode });
    if (request.method === 'POST') durations.observe({ status }, reply.elapsedTime / 1000);
    if (uploadBytes !== undefined) uploaded.inc(uploadBytes);
    if (audioMs !== undefined) audio.inc({ engine: engineName ?? '' }, audioMs / 1000);
  });

  app.get(METRICS_PATH, async (request, reply) => {
    checkToken(request, reply);
    return reply.type(registry.contentType).send(await registry.metrics());
  });
}
