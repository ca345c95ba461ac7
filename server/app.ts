import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { resolve } from 'node:path';
import fastifyMultipart from '@fastify/multipart';
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyServerOptions,
  LogController,
} from 'fastify';
import type { Clock } from '../src/core/clock.ts';
import { type AccessOptions, OPEN_ACCESS } from './access/access-options.ts';
import { createTokenCheck } from './access/bearer-token.ts';
import { guardOrigins } from './access/origins.ts';
import { createRateLimit } from './access/rate-limit.ts';
import type { AnswerStore } from './answer-store.ts';
import type { AudioDecoder } from './audio/audio-decoder.ts';
import type { TranscriptionEngine } from './engine/engine-port.ts';
import { API_PREFIX, answerBrokenHttp, answerErrors, sendError } from './error-answers.ts';
import { type AnswerMemory, createAnswerMemory } from './idempotency.ts';
import { watchInFlight } from './in-flight.ts';
import { DEFAULT_LIMITS, type ServerLimits } from './limits.ts';
import { addMetrics, METRICS_PATH } from './metrics.ts';
import { logRequests } from './request-log.ts';
import { addResponseHeaders } from './response-headers.ts';
import { addHealthRoute, HEALTH_PATH } from './routes/health.ts';
import { addTranscribeRoute, TRANSCRIBE_PATH } from './routes/transcribe.ts';
import { createSharedAnswers } from './shared-answers.ts';
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
  /** Started when the app gets ready, and not waited for; disposed of when it closes. */
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
  /** Who may ask. @default everybody, from this server's own pages */
  readonly access?: AccessOptions;
  /** Shares answers for an Idempotency-Key between servers. @default this process's memory only */
  readonly answerStore?: AnswerStore;
};

/** A whole upload must have arrived within this; a client gives up after the same time. */
const REQUEST_TIMEOUT_MS = 120_000;

/** Builds the server without listening: call `listen` on the result, and `close` at the end. */
export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const { engine, decoder, textRules = inactiveTextRules, clock = systemClock } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const service = createTranscriptionService({ engine, decoder, textRules, limits });
  const access = options.access ?? OPEN_ACCESS;

  const app = fastify({
    logger: withoutHeaders(options.logger ?? false),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    trustProxy: access.trustProxy,
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
  guardOrigins(app, access.allowedOrigins);
  answerErrors(
    app,
    new Map([
      [HEALTH_PATH, 'GET, HEAD'],
      [TRANSCRIBE_PATH, 'POST'],
      [METRICS_PATH, 'GET, HEAD'],
    ]),
  );
  // Only forms are read; anything else is 415 without being parsed.
  app.removeAllContentTypeParsers();
  await app.register(fastifyMultipart);

  addHealthRoute(app, { engine, textRules, queueLoad: service.load });
  const checkToken = createTokenCheck(access.apiTokens);
  const rateLimit = createRateLimit(limits.maxPerMinute, clock);
  addTranscribeRoute(app, {
    service,
    answers: createAnswers(options, limits, clock, app.log),
    engine: engine.description,
    limits,
    admit(request, reply) {
      checkToken(request, reply);
      rateLimit.take(request.ip);
    },
  });
  addMetrics(app, { engine, queueLoad: service.load, checkToken });
  await addPages(app, options.pages ?? { kind: 'none' });

  app.addHook('onReady', async () => {
    void engine.start();
  });
  app.addHook('preClose', async () => {
    service.close();
    await inFlight.drained();
  });
  app.addHook('onClose', async () => {
    await Promise.all([decoder.dispose(), engine.dispose?.()]);
    await options.answerStore?.close();
  });
  return app;
}

type LoggerOption = NonNullable<AppOptions['logger']>;

/** At its finest level the form parser logs a request's headers, tokens among them. */
function withoutHeaders(logger: LoggerOption): LoggerOption {
  return typeof logger === 'object' ? { redact: ['busboyOptions.headers'], ...logger } : logger;
}

function createAnswers(
  { answerStore: store }: AppOptions,
  limits: ServerLimits,
  clock: Clock,
  log: FastifyBaseLogger,
): AnswerMemory<TranscriptionAnswer> {
  const keptMs = limits.answerKeptMs;
  const maxKept = limits.maxAnswersKept;
  const local = createAnswerMemory<TranscriptionAnswer>({ clock, keptMs, maxKept });
  if (store === undefined) return local;
  const onStoreFailure = () => log.warn('the answer store cannot be used');
  return createSharedAnswers({ store, local, clock, keptMs, onStoreFailure });
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
