import type { IncomingMessage, ServerResponse } from 'node:http';
import { resolve } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Tokens } from '../access/tokens.ts';
import { isApiPath } from '../http/api-paths.ts';
import { SERVICE_WORKER_POLICY } from '../http/response-headers.ts';
import { RETIRED_WORKER, SERVICE_WORKER_PATH } from './retired-worker.ts';
import { guardPages } from './sign-in.ts';
import { serveStaticFiles } from './static-files.ts';

/** Answers one request outside `/api/` by itself, such as Vite's development middleware. */
export type PageHandler = (request: IncomingMessage, response: ServerResponse) => void;

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
