import type { FastifyInstance } from 'fastify';

/** What every answer carries: isolation (for WASM threads), no sniffing, no leaking. */
const ALWAYS: Readonly<Record<string, string>> = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'microphone=(self), display-capture=(self)',
};

/**
 * What a page may load: only from here, no inline script or style. WASM may be compiled, recordings
 * played from blobs. Styles that React sets go through the CSSOM, which no policy stops.
 */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "connect-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "media-src 'self' blob:",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

/**
 * What the pages' service worker may do: fetch from here, and show the icon of a notification. It is
 * one script, and runs no other.
 */
export const SERVICE_WORKER_POLICY = [
  "default-src 'none'",
  "connect-src 'self'",
  "img-src 'self'",
].join('; ');

/** Adds the headers to every answer of the app; answers of the API are never stored. */
export function addResponseHeaders(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply) => {
    reply.headers(ALWAYS);
    reply.header('x-request-id', request.id);
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
  });
}
