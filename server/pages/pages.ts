import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join, resolve } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import type { Tokens } from '../access/callers.ts';
import { SERVICE_WORKER_POLICY } from '../http/bare-app.ts';
import { isApiPath } from '../http/request-log.ts';
import { guardPages, policyHash } from './sign-in.ts';

/** The parts written into a page, as opposed to those it names. */
const STYLES = /<style>([\s\S]*?)<\/style>/g;
const SCRIPTS = /<script>([\s\S]*?)<\/script>/g;

/**
 * The policy of a page: only from here; no inline style or script but those that were written into
 * its file, by their hashes. WASM may be compiled, recordings played from blobs. Styles that React
 * sets go through the CSSOM, which no policy stops.
 */
function pagePolicy(html: string): string {
  return [
    "default-src 'none'",
    ["script-src 'self' 'wasm-unsafe-eval'", ...hashesOf(html, SCRIPTS)].join(' '),
    "worker-src 'self'",
    "connect-src 'self'",
    ["style-src 'self'", ...hashesOf(html, STYLES)].join(' '),
    "img-src 'self' data:",
    "font-src 'self'",
    "media-src 'self' blob:",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; ');
}

/**
 * The policy of the page in a file, as it is now: one that is replaced while we run has other
 * hashes. Never throws: of a page that cannot be read nothing inline is let through.
 */
function pagePolicyOf(path: string): string {
  try {
    return pagePolicy(readFileSync(path, 'utf8'));
  } catch {
    return pagePolicy('');
  }
}

function hashesOf(html: string, inline: RegExp): readonly string[] {
  return [...html.matchAll(inline)].map(([, content = '']) => policyHash(content));
}

/** Where the pages' service worker is. */
const SERVICE_WORKER_PATH = '/service-worker.js';

/**
 * The script in place of a service worker that must go: it answers for nothing, deletes the pages
 * that were kept, and unregisters. Dictations are stored elsewhere, and stay; open pages go on as
 * they are.
 */
const RETIRED_WORKER = `self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(leave()));
async function leave() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.includes('-precache-')).map((name) => caches.delete(name)));
  await self.registration.unregister();
}
`;

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
async function serveStaticFiles(
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

/** Answers one request outside `/api/` by itself, such as Vite's development middleware. */
type PageHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Where the pages come from. */
export type PageSource =
  | { readonly kind: 'none' }
  /** The folder of the build; relative to the working directory. */
  | {
      readonly kind: 'folder';
      readonly webRoot: string;
      /** Has browsers give up the service worker that keeps the pages. @default false */
      readonly retiresWorker?: boolean;
    }
  /** The handler sends its own headers, isolation among them. */
  | { readonly kind: 'handler'; readonly handle: PageHandler };

/** Adds the pages to an app that has its other routes; where tokens are needed they ask for one. */
export async function addPages(
  app: FastifyInstance,
  pages: PageSource,
  tokens: Tokens,
): Promise<void> {
  switch (pages.kind) {
    case 'none':
      return;
    case 'folder':
      await app.register(async (scope) => {
        guardPages(scope, tokens);
        if (pages.retiresWorker) {
          scope.get(SERVICE_WORKER_PATH, async (_request, reply) =>
            reply
              .header('cache-control', 'no-cache')
              .header('content-security-policy', SERVICE_WORKER_POLICY)
              .type('text/javascript; charset=utf-8')
              .send(RETIRED_WORKER),
          );
        }
        await serveStaticFiles(scope, resolve(pages.webRoot), tokens.areNeeded);
      });
      return;
    case 'handler':
      await app.register(async (scope) => {
        guardPages(scope, tokens);
        scope.all('/*', { exposeHeadRoute: false }, async (request, reply) => {
          if (isApiPath(request.url)) return reply.callNotFound();
          reply.hijack();
          pages.handle(request.raw, reply.raw);
        });
      });
  }
}
