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
import { API_PREFIX } from '../error-answers.ts';
import { factsOf } from '../request-facts.ts';
import { watchAnswers } from '../watch-answers.ts';

const NAME = 'diktera';

/** OpenTelemetry's own advice for seconds of requests, and up to what a client waits. */
const DURATION_BUCKETS_S = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 120];

/**
 * A span and a duration for each request of the API, under OpenTelemetry's names, as a part of the trace it
 * came with (`traceparent`). Figures and codes only, as in the log. Costs next to nothing, and goes nowhere,
 * unless `startTelemetry` was called. Call it before the routes are added.
 */
export function traceRequests(app: FastifyInstance): void {
  const tracer = trace.getTracer(NAME);
  const duration = metrics.getMeter(NAME).createHistogram('http.server.request.duration', {
    unit: 's',
    description: 'Duration of HTTP server requests.',
    advice: { explicitBucketBoundaries: DURATION_BUCKETS_S },
  });
  const spans = new WeakMap<FastifyRequest, Span>();

  app.addHook('onRequest', async (request) => {
    const route = request.routeOptions.url;
    if (route?.startsWith(API_PREFIX) !== true) return;
    const span = tracer.startSpan(
      `${request.method} ${route}`,
      {
        kind: SpanKind.SERVER,
        attributes: { 'http.request.method': request.method, 'http.route': route },
      },
      propagation.extract(context.active(), request.headers),
    );
    spans.set(request, span);
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
