import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { CONTENT_SECURITY_POLICY } from './response-headers.ts';

const FOR_EVER = 'public, max-age=31536000, immutable';
const ASK_EACH_TIME = 'no-cache';

/** Below these every name holds a hash of its content, so a name's content never changes. */
const HASHED_FOLDERS = ['/assets/', '/models/'];

/**
 * Serves the built pages from the absolute path `webRoot`. A `.br` or `.gz` beside a file is sent in
 * its place to those who take it. No file, no page: an unknown path is 404.
 */
export async function serveStaticFiles(app: FastifyInstance, webRoot: string): Promise<void> {
  await app.register(fastifyStatic, {
    root: webRoot,
    preCompressed: true,
    dotfiles: 'ignore',
    cacheControl: false,
    setHeaders(response, path) {
      const within = path.slice(webRoot.length).replaceAll('\\', '/');
      const isHashed = HASHED_FOLDERS.some((folder) => within.startsWith(folder));
      response.setHeader('cache-control', isHashed ? FOR_EVER : ASK_EACH_TIME);
      // The plain file, too: which one is sent depends on what the client takes.
      response.setHeader('vary', 'accept-encoding');
      if (/\.html(\.br|\.gz)?$/.test(path)) {
        response.setHeader('content-security-policy', CONTENT_SECURITY_POLICY);
      }
    },
  });
}
