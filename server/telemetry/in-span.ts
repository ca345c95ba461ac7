import { SpanStatusCode, trace } from '@opentelemetry/api';
import { ApiError } from '../core/api-error.ts';
import { TRACER_NAME } from './trace-requests.ts';

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
      // What a client did wrong is no failure of the server's.
      if (!isOwn || error.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
