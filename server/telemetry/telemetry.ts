import {
  context,
  metrics,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ConfigError } from '../config/env-reader.ts';
import { ApiError } from '../core/api-error.ts';
import { factsOf, isApiRoute, watchAnswers } from '../http/request-log.ts';

/** Figures and codes, never content. */
type Figures = Readonly<Record<string, string | number | boolean>>;

/**
 * Does one step of a request as a span below the request's. `describe` says more of what came out;
 * of a failure its error code is told. Costs next to nothing where nobody traces.
 */
export function inSpan<T>(
  name: string,
  work: () => Promise<T>,
  describe: (outcome: T) => Figures = () => ({}),
): Promise<T> {
  return trace.getTracer(TRACER_NAME).startActiveSpan(name, async (span) => {
    try {
      const outcome = await work();
      span.setAttributes(describe(outcome));
      return outcome;
    } catch (error) {
      const isOwn = error instanceof ApiError;
      span.setAttribute('error.type', isOwn ? error.code : 'internal_error');
      // A client's mistake is no failure of the server's.
      if (!isOwn || error.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

/** A variable: compiler and bundler must not look for what is not in the default install. */
const PACKAGE_NAME: string = '@opentelemetry/sdk-node';

/** The last line that runs on node 20, and that goes with the API this server is built with. */
const PACKAGE_VERSION = '0.223.0';

/** As far as it is used here; it reads all `OTEL_*` variables itself. */
type NodeSdk = { start(): void; shutdown(): Promise<void> };

/** Ends what was started, so that the last spans go out. */
type StopTelemetry = () => Promise<void>;

/**
 * Sends traces and metrics to `endpoint`, with the SDK, which is for the operator to install. Call
 * it before the app is built. Throws a ConfigError when the SDK is not there.
 */
export async function startTelemetry(
  endpoint: string | null,
  load: () => Promise<unknown> = () => import(PACKAGE_NAME),
): Promise<StopTelemetry> {
  if (endpoint === null) return async () => undefined;
  const module: unknown = await load().catch((cause: unknown) => {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND') {
      const message = `OTEL_EXPORTER_OTLP_ENDPOINT needs a package: npm i --no-save ${PACKAGE_NAME}@${PACKAGE_VERSION}`;
      throw new ConfigError(message, { cause });
    }
    throw cause;
  });
  const { NodeSDK } = Object(module) as { NodeSDK: new (options: object) => NodeSdk };
  const sdk = new NodeSDK({ serviceName: process.env.OTEL_SERVICE_NAME ?? 'diktera' });
  sdk.start();
  // Figures that cannot be sent are no reason to end otherwise than well.
  return () => sdk.shutdown().catch(() => undefined);
}

/** Under which all spans and durations of the server are made. */
const TRACER_NAME = 'diktera';

/** OpenTelemetry's own advice for seconds of requests, and up to what a client waits. */
const DURATION_BUCKETS_S = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 120];

/**
 * A span and a duration for each request of the API, under OpenTelemetry's names, as a part of the
 * trace it came with (`traceparent`). Its steps are below it. Figures and codes
 * only, as in the log. Without `startTelemetry` it costs next to nothing and goes nowhere. Call it
 * before the routes are added.
 */
export function traceRequests(app: FastifyInstance): void {
  const tracer = trace.getTracer(TRACER_NAME);
  const duration = metrics.getMeter(TRACER_NAME).createHistogram('http.server.request.duration', {
    unit: 's',
    description: 'Duration of HTTP server requests.',
    advice: { explicitBucketBoundaries: DURATION_BUCKETS_S },
  });
  const spans = new WeakMap<FastifyRequest, Span>();

  app.addHook('onRequest', (request, _reply, goOn) => {
    const route = request.routeOptions.url;
    if (!isApiRoute(route)) {
      goOn();
      return;
    }
    const told = propagation.extract(context.active(), request.headers);
    const span = tracer.startSpan(
      `${request.method} ${route}`,
      {
        kind: SpanKind.SERVER,
        attributes: { 'http.request.method': request.method, 'http.route': route },
      },
      told,
    );
    spans.set(request, span);
    // The steps of the request are below it.
    context.with(trace.setSpan(told, span), goOn);
  });
  watchAnswers(app, (request, reply, status) => {
    const span = spans.get(request);
    if (span === undefined) return;
    const { errorCode, engine, language, uploadBytes, audioMs, isRepeated } = factsOf(request);
    const attributes = {
      'http.request.method': request.method,
      'http.route': request.routeOptions.url ?? '',
      'http.response.status_code': status,
      ...(errorCode === undefined ? {} : { 'error.type': errorCode }),
    };
    duration.record(reply.elapsedTime / 1000, attributes);
    span.setAttributes({
      ...attributes,
      ...(engine === undefined ? {} : { 'diktera.engine': engine }),
      ...(language === undefined ? {} : { 'diktera.language': language }),
      ...(uploadBytes === undefined ? {} : { 'diktera.upload_bytes': uploadBytes }),
      ...(audioMs === undefined ? {} : { 'diktera.audio_ms': audioMs }),
      ...(isRepeated === undefined ? {} : { 'diktera.repeated': isRepeated }),
      'diktera.request_id': request.id,
    });
    if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  });
}
