import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { SERVICE_WORKER_POLICY } from '../http/response-headers.ts';
import { pagePolicyOf } from './page-policy.ts';
import { SERVICE_WORKER_PATH } from './retired-worker.ts';

/** The library for pages elsewhere: `/lib/VERSION/diktera.js` and what it fetches. */
const LIBRARY_FOLDER = '/lib/';
/**
 * The newest of a major version. It leads to a version's address, so that the files fit together.
 */
const MAJOR_VERSION = /^\/lib\/v(\d+)\/([\w./-]+)$/;
const MAJOR_VERSION_AGE = 'public, max-age=300';

/** Any page may fetch the library and run it, an isolated one too. */
const FOR_EVERY_PAGE = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
};

/** Tells the service worker, which keeps the page, that the server says who may see it. */
const SIGN_IN_HEADER = 'x-diktera-sign-in';

const FOR_EVER = 'public, max-age=31536000, immutable';
const ASK_EACH_TIME = 'no-cache';

/** Below these every name holds a hash or a version, so its content never changes. */
const HASHED_FOLDERS = ['/assets/', '/models/', LIBRARY_FOLDER];

/**
 * Serves the built pages from the absolute path `webRoot`. A `.br` or `.gz` beside a file is sent
 * in its place to those who take it. No file, no page: an unknown path is 404. `areGuarded`: the
 * pages are only for who has signed in.
 */
export async function serveStaticFiles(
  app: FastifyInstance,
  webRoot: string,
  areGuarded: boolean,
): Promise<void> {
  addMajorVersions(app, webRoot);
  app.addHook('onSend', async (request, reply) => {
    if (request.url.startsWith(LIBRARY_FOLDER)) reply.headers(FOR_EVERY_PAGE);
  });
  await app.register(fastifyStatic, {
    root: webRoot,
    preCompressed: true,
    dotfiles: 'ignore',
    cacheControl: false,
    setHeaders(response, path) {
      const within = path.slice(webRoot.length).replaceAll('\\', '/');
      // Its policy is that of the file, whichever of its forms is sent.
      const plain = within.replace(/\.(br|gz)$/, '');
      const isHashed = HASHED_FOLDERS.some((folder) => within.startsWith(folder));
      response.setHeader('cache-control', isHashed ? FOR_EVER : ASK_EACH_TIME);
      // The plain file, too: which one is sent depends on what the client takes.
      response.setHeader('vary', 'accept-encoding');
      if (plain === SERVICE_WORKER_PATH) {
        response.setHeader('content-security-policy', SERVICE_WORKER_POLICY);
      }
      if (plain.endsWith('.html')) {
        response.setHeader('content-security-policy', pagePolicyOf(join(webRoot, plain)));
        if (areGuarded) response.setHeader(SIGN_IN_HEADER, 'needed');
      }
    },
  });
}

function addMajorVersions(app: FastifyInstance, webRoot: string): void {
  app.addHook('onRequest', async (request, reply) => {
    const [, major, file = ''] = MAJOR_VERSION.exec(request.url.replace(/\?.*$/, '')) ?? [];
    if (major === undefined) return;
    const version = await newestOf(join(webRoot, LIBRARY_FOLDER), major);
    if (version === null) return;
    // Relative, for a proxy may serve us below a path of its own.
    const up = '../'.repeat(file.split('/').length);
    return reply
      .header('cache-control', MAJOR_VERSION_AGE)
      .redirect(`${up}${version}/${file}`, 302);
  });
}

/** The version in `folder` that a major version stands for; one build holds one. */
async function newestOf(folder: string, major: string): Promise<string | null> {
  const versions = await readdir(folder).catch((): string[] => []);
  return versions.find((version) => version.startsWith(`${major}.`)) ?? null;
}
