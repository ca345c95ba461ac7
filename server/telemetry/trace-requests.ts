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
import { isApiRoute } from '../http/api-paths.ts';
import { factsOf } from '../http/request-facts.ts';
import { watchAnswers } from '../http/watch-answers.ts';

/** Under which all spans and durations of the server are made. */
export const TRACER_NAME = 'diktera';

/** OpenTelemetry's own advice for seconds of requests, and up to what a client waits. */
const DURATION_BUCKETS_S = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 120];

/**
 * A span and a duration for each request of the API, under OpenTelemetry's names, as a part of the
 * trace it came with (`traceparent`). Its steps are below it (`in-span.ts`). Figures and codes
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
    // What the request goes through is below it.
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
