import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { EngineSet } from '../engine/engine-set.ts';
import {
  CLIENT_CLOSED_STATUS,
  factsOf,
  isApiRoute,
  type RequestFacts,
  watchAnswers,
} from '../http/request-log.ts';
import type { QueueLoad } from '../scheduling/work-queue.ts';
import type { Readiness } from './readiness.ts';

/** Where Prometheus asks, on a port of its own. */
const METRICS_PATH = '/metrics';

/** Seconds; a client gives up at 120. */
const DURATION_BUCKETS_S = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 120];

/** The figures besides those of requests. */
type MetricsPorts = {
  readonly engines: EngineSet;
  readonly queueLoad: () => QueueLoad;
  readonly readiness: Readiness;
  /** The memory of the server and the processes it has started. */
  readonly memoryBytes: () => number;
};

type Answered = {
  readonly route: string;
  readonly status: string;
  readonly code: string;
  readonly seconds: number;
};

/** Figures of requests, queue, engines and the process. */
export function createMetrics({ engines, queueLoad, readiness, memoryBytes }: MetricsPorts) {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  const requests = new Counter({
    name: 'diktera_requests_total',
    help: 'Answers of the API, by route, status and error code; 499 is a client that left.',
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
    help: 'Audio transcribed, by engine; an answer that is repeated counts once.',
    labelNames: ['engine'],
    registers,
  });
  const uploaded = new Counter({
    name: 'diktera_upload_bytes_total',
    help: 'Bytes of audio files taken in.',
    registers,
  });
  const previews = new Counter({
    name: 'diktera_previews_total',
    help: 'Answers to previews, by status and error code; they are in no other figure but bytes.',
    labelNames: ['status', 'code'],
    registers,
  });
  const previewDurations = new Histogram({
    name: 'diktera_preview_duration_seconds',
    help: 'Time from the first byte of a preview to the end of its answer.',
    labelNames: ['status'],
    buckets: DURATION_BUCKETS_S,
    registers,
  });
  const previewAudio = new Counter({
    name: 'diktera_preview_audio_seconds_total',
    help: 'Audio of previews, by engine.',
    labelNames: ['engine'],
    registers,
  });
  const items = new Counter({
    name: 'diktera_realtime_items_total',
    help: 'Items of realtime connections that were answered, by error code.',
    labelNames: ['code'],
    registers,
  });
  const badStored = new Counter({
    name: 'diktera_stored_answers_bad_total',
    help: 'Values in the shared store that were none of ours, and were deleted.',
    registers,
  });
  gauge('diktera_queue_running', 'Transcriptions that run.', () => queueLoad().running);
  gauge('diktera_queue_waiting', 'Transcriptions that wait.', () => queueLoad().waiting);
  gauge('diktera_memory_bytes', 'Memory of the server and its processes.', memoryBytes);
  gauge('diktera_ready', '1 when requests may be sent here, else 0.', () =>
    readiness.state().kind === 'ready' ? 1 : 0,
  );
  const ready = new Gauge({
    name: 'diktera_engine_ready',
    help: '1 when the engine can be asked, else 0.',
    labelNames: ['engine'],
    registers,
    collect() {
      for (const engine of engines.engines) {
        const isReady = engine.state().kind === 'ready' ? 1 : 0;
        ready.set({ engine: engine.description.engine }, isReady);
      }
    },
  });

  function gauge(name: string, help: string, read: () => number): void {
    const made: Gauge = new Gauge({ name, help, registers, collect: () => made.set(read()) });
  }

  function countFinal(
    { route, status, code, seconds }: Answered,
    { engine = '', audioMs, isRepeated }: RequestFacts,
    isPost: boolean,
  ): void {
    requests.inc({ route, status, code });
    if (isPost) durations.observe({ status }, seconds);
    if (audioMs !== undefined && isRepeated !== true) audio.inc({ engine }, audioMs / 1000);
  }

  function countPreview(
    { status, code, seconds }: Answered,
    { engine = '', audioMs }: RequestFacts,
  ): void {
    previews.inc({ status, code });
    previewDurations.observe({ status }, seconds);
    if (audioMs !== undefined) previewAudio.inc({ engine }, audioMs / 1000);
  }

  return {
    /** Measures the requests of an app; call it before its routes are added. */
    watch(app: FastifyInstance) {
      watchAnswers(app, (request, reply, answeredStatus) => {
        const route = request.routeOptions.url;
        if (!isApiRoute(route)) return;
        const facts = factsOf(request);
        const hasLeft = answeredStatus === CLIENT_CLOSED_STATUS;
        const answered = {
          route,
          status: String(answeredStatus),
          code: hasLeft ? 'client_closed' : (facts.errorCode ?? ''),
          seconds: reply.elapsedTime / 1000,
        };
        if (facts.uploadBytes !== undefined) uploaded.inc(facts.uploadBytes);
        if (facts.isPreview === true) countPreview(answered, facts);
        else countFinal(answered, facts, request.method === 'POST');
      });
    },
    /** Counts a stored answer that was none of ours. */
    noteBadStoredAnswer: () => badStored.inc(),
    /** Counts an item of a realtime connection; `code` is null for a success. */
    noteItem(code: string | null, engine: string, audioMs: number) {
      items.inc({ code: code ?? '' });
      if (code === null) audio.inc({ engine }, audioMs / 1000);
    },
    /** Adds `GET /metrics`, in Prometheus' text format, to an app. */
    serve(app: FastifyInstance) {
      app.get(METRICS_PATH, async (_request, reply) =>
        reply.type(registry.contentType).send(await registry.metrics()),
      );
    },
  };
}
