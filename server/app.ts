import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { resolve } from 'node:path';
import fastifyMultipart from '@fastify/multipart';
import fastify, { type FastifyInstance, type FastifyServerOptions, LogController } from 'fastify';
import type { Clock } from '../src/core/clock.ts';
import type { AudioDecoder } from './audio/audio-decoder.ts';
import type { TranscriptionEngine } from './engine/engine-port.ts';
import { API_PREFIX, answerBrokenHttp, answerErrors, sendError } from './error-answers.ts';
import { createAnswerMemory } from './idempotency.ts';
import { watchInFlight } from './in-flight.ts';
import { DEFAULT_LIMITS, type ServerLimits } from './limits.ts';
import { logRequests } from './request-log.ts';
import { addResponseHeaders } from './response-headers.ts';
import { addHealthRoute, HEALTH_PATH } from './routes/health.ts';
import { addTranscribeRoute, TRANSCRIBE_PATH } from './routes/transcribe.ts';
import { serveStaticFiles } from './static-files.ts';
import { systemClock } from './system-clock.ts';
import { inactiveTextRules, type TextRules } from './text-rules.ts';
import { createTranscriptionService, type TranscriptionAnswer } from './transcription-service.ts';

/** Answers one request outside `/api/` by itself, such as Vite's development middleware. */
export type PageHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Where the pages come from. */
export type PageSource =
  | { readonly kind: 'none' }
  /** The folder of the build; relative to the working directory. */
  | { readonly kind: 'folder'; readonly webRoot: string }
  /** The handler sends its own headers, isolation among them. */
  | { readonly kind: 'handler'; readonly handle: PageHandler };

/** What a server is made of. */
export type AppOptions = {
  /** Started when the app gets ready, and not waited for. */
  readonly engine: TranscriptionEngine;
  /** Disposed of when the app closes. */
  readonly decoder: AudioDecoder;
  /** @default inactiveTextRules */
  readonly textRules?: TextRules;
  /** @default none */
  readonly pages?: PageSource;
  /** Merged over `DEFAULT_LIMITS`. */
  readonly limits?: Partial<ServerLimits>;
  /** Fastify's own option; its lines hold no content. @default false */
  readonly logger?: Exclude<FastifyServerOptions['logger'], undefined>;
  /** @default systemClock */
  readonly clock?: Clock;
};

/** A whole upload must have arrived within this; a client gives up after the same time. */
const REQUEST_TIMEOUT_MS = 120_000;

/** Builds the server without listening: call `listen` on the result, and `close` at the end. */
export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const { engine, decoder, textRules = inactiveTextRules, clock = systemClock } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const service = createTranscriptionService({ engine, decoder, textRules, limits });
  const answers = createAnswerMemory<TranscriptionAnswer>({
    clock,
    keptMs: limits.answerKeptMs,
    maxKept: limits.maxAnswersKept,
  });

  const app = fastify({
    logger: options.logger ?? false,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    requestTimeout: REQUEST_TIMEOUT_MS,
    // `preClose` has waited for the answers by then; what is left are browsers' spare connections,
    // which would hold up the end for a minute.
    forceCloseConnections: true,
    // Ours say the same in the form of every other error.
    return503OnClosing: false,
    clientErrorHandler: answerBrokenHttp,
    frameworkErrors: sendError,
  });

  const inFlight = watchInFlight(app);
  logRequests(app);
  addResponseHeaders(app);
  answerErrors(
    app,
    new Map([
      [HEALTH_PATH, 'GET, HEAD'],
      [TRANSCRIBE_PATH, 'POST'],
    ]),
  );
  // Only forms are read; anything else is 415 without being parsed.
  app.removeAllContentTypeParsers();
  await app.register(fastifyMultipart);

  addHealthRoute(app, { engine, textRules, queueLoad: service.load });
  addTranscribeRoute(app, { service, answers, engine: engine.description, limits });
  await addPages(app, options.pages ?? { kind: 'none' });

  app.addHook('onReady', async () => {
    void engine.start();
  });
  app.addHook('preClose', async () => {
    service.close();
    await inFlight.drained();
  });
  app.addHook('onClose', () => decoder.dispose());
  return app;
}

async function addPages(app: FastifyInstance, pages: PageSource): Promise<void> {
  switch (pages.kind) {
    case 'none':
      return;
    case 'folder':
      return serveStaticFiles(app, resolve(pages.webRoot));
    case 'handler':
      app.addHook('onRequest', async (request, reply) => {
        if (request.url.startsWith(API_PREFIX)) return;
        reply.hijack();
        pages.handle(request.raw, reply.raw);
      });
  }
}
