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
