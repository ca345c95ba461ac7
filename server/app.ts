import { setMaxListeners } from 'node:events';
import fastifyMultipart from '@fastify/multipart';
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../src/core/clock.ts';
import {
  type AccessOptions,
  type Caller,
  clientKey,
  createCallerCheck,
  createClientNames,
  createOriginRule,
  createTokens,
  guardOrigins,
  OPEN_ACCESS,
  requireOrigin,
} from './access/callers.ts';
import { createRateLimit, limitConnections } from './access/client-limits.ts';
import type { Pairing } from './access/pairing.ts';
import { clientAddress } from './access/trusted-proxies.ts';
import { type AnswerMemory, createAnswerMemory } from './answers/answer-memory.ts';
import { type AnswerStore, createSharedAnswers } from './answers/shared-answers.ts';
import type { AudioDecoder } from './audio/decoder-pool.ts';
import { DEFAULT_LIMITS, type ServerLimits } from './core/limits.ts';
import { systemClock } from './core/system.ts';
import type { EngineSet } from './engine/engine-set.ts';
import { createBareApp, type LoggerOption, REALTIME_PATH } from './http/bare-app.ts';
import { answerErrors } from './http/error-answers.ts';
import {
  factsOf,
  logRequests,
  noteFacts,
  watchAnswers,
  watchInFlight,
} from './http/request-log.ts';
import { createMetrics } from './operations/metrics.ts';
import { createMemoryGuard, createReadiness } from './operations/readiness.ts';
import { stopInOrder } from './operations/stop.ts';
import { addPages, type PageSource } from './pages/pages.ts';
import { addPairing, PAIRING_API_PATH, PAIRING_PATH } from './pages/pairing-page.ts';
import { addSignIn, SIGN_IN_PATH, SIGN_OUT_PATH } from './pages/sign-in.ts';
import { loadSpeechKernel, type SpeechKernel } from './realtime/turn-finder.ts';
import {
  addHealthRoute,
  addProbes,
  addVocabularyRoute,
  HEALTH_PATH,
  LIVE_PATH,
  READY_PATH,
  VERSION_PATH,
  VOCABULARY_PATH,
} from './routes/health.ts';
import { addModelRoutes, MODELS_PATH, type ModelsPorts, modelAnswer } from './routes/models.ts';
import {
  addOpenAiRoutes,
  OPENAI_MODELS_PATH,
  OPENAI_TRANSCRIBE_PATH,
} from './routes/openai-routes.ts';
import { addRealtimeRoute } from './routes/realtime-route.ts';
import {
  answerBytes,
  describeRoutes,
  isTranscriptionAnswer,
  OPENAPI_PATH,
} from './routes/schemas.ts';
import {
  addTranscribeRoute,
  createTakeRecording,
  type RecordingPorts,
  TRANSCRIBE_PATH,
} from './routes/transcribe.ts';
import { createAdmission } from './scheduling/admission.ts';
import { traceRequests } from './telemetry/telemetry.ts';
import type { SharedVocabulary } from './text/shared-vocabulary.ts';
import { inactiveTextRules, type TextRules } from './text/text-rules.ts';
import {
  createTranscriptionService,
  type TranscriptionAnswer,
} from './transcription/transcription-service.ts';

/** The parts of a server. */
export type AppOptions = {
  /** Started when the app gets ready, and not waited for; disposed of when it closes. */
  readonly engines: EngineSet;
  /** Disposed of when the app closes. */
  readonly decoder: AudioDecoder;
  /** @default inactiveTextRules */
  readonly textRules?: TextRules;
  /** Names, terms and snippets for all. @default none */
  readonly vocabulary?: SharedVocabulary;
  /** @default none */
  readonly pages?: PageSource;
  /** The path all of it is reached below, such as `/diktera`. @default '' */
  readonly basePath?: string;
  /** Merged over `DEFAULT_LIMITS`. */
  readonly limits?: Partial<ServerLimits>;
  /** Fastify's own option; its lines hold no content. @default false */
  readonly logger?: LoggerOption;
  /** @default systemClock */
  readonly clock?: Clock;
  /** The callers who may ask; merged over `OPEN_ACCESS`. @default everybody, from this server's own pages */
  readonly access?: Partial<AccessOptions>;
  /** True if a dictation may come in many short requests at no cost. @default false */
  readonly freePieces?: boolean;
  /** The model that finds turns in realtime audio. @default that which came with this server, if it did */
  readonly kernel?: SpeechKernel | null;
  /** Models that are fetched, and who may have that done. @default none */
  readonly models?: Pick<ModelsPorts, 'engines' | 'fetchers'>;
  /** Extensions of this machine's browsers, paired by a code. @default none, and none can be */
  readonly pairing?: Pairing;
  /** Shares answers for an Idempotency-Key between servers. @default this process's memory only */
  readonly answerStore?: AnswerStore;
};

/** The two sides of a server, each to listen on a port of its own. */
type Apps = {
  /** The API and the pages. */
  readonly app: FastifyInstance;
  /** Figures and probes, for those who run it: keep it inside. Closes with `app`. */
  readonly adminApp: FastifyInstance;
};

/** The methods of each address, for those who try another. */
const METHODS: ReadonlyMap<string, string> = new Map([
  [HEALTH_PATH, 'GET, HEAD'],
  [TRANSCRIBE_PATH, 'POST'],
  [OPENAI_TRANSCRIBE_PATH, 'POST'],
  [OPENAI_MODELS_PATH, 'GET, HEAD'],
  [REALTIME_PATH, 'GET'],
  [MODELS_PATH, 'GET, HEAD'],
  [VOCABULARY_PATH, 'GET, HEAD'],
  [LIVE_PATH, 'GET, HEAD'],
  [READY_PATH, 'GET, HEAD'],
  [VERSION_PATH, 'GET, HEAD'],
  [OPENAPI_PATH, 'GET, HEAD'],
]);

/** The same where tokens are needed. */
const SIGN_IN_METHODS: ReadonlyMap<string, string> = new Map([
  ...METHODS,
  [SIGN_IN_PATH, 'GET, HEAD, POST'],
  [SIGN_OUT_PATH, 'POST'],
]);

const PAIRING_METHODS = [
  [PAIRING_PATH, 'GET, HEAD, POST'],
  [PAIRING_API_PATH, 'POST'],
] as const;

/** Codes that a client may say, wrong ones and those that come too late. */
const PAIRINGS_PER_MINUTE = 20;

/** Builds the server without listening: call `listen` on both, and `close` on `app` at the end. */
export async function createApps(options: AppOptions): Promise<Apps> {
  const { engines, decoder, textRules = inactiveTextRules, clock = systemClock } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const access = { ...OPEN_ACCESS, ...options.access };
  const logger = options.logger ?? false;
  const basePath = options.basePath ?? '';
  const pairing = options.pairing ?? null;
  let ownKernel: SpeechKernel | null | undefined = options.kernel;
  const kernel = () => {
    ownKernel ??= ownKernel === undefined ? loadSpeechKernel() : null;
    return ownKernel;
  };
  const service = createTranscriptionService({ engines, decoder, textRules, limits, clock });
  const memory = createMemoryGuard(limits.maxMemoryBytes, clock);
  const readiness = createReadiness({ engines, clock, isFull: memory.isFull });
  const metrics = createMetrics({
    engines,
    queueLoad: service.load,
    readiness,
    memoryBytes: memory.usedBytes,
  });
  const tokens = createTokens(access.apiTokens);
  const checkCaller = createCallerCheck(tokens);
  const originRule = createOriginRule(access.allowedOrigins, pairing);
  const rateLimit = createRateLimit(limits.maxPerMinute, clock);
  const previewRateLimit = createRateLimit(limits.maxPerMinute, clock);
  const endUploads = new AbortController();
  // As many listen as uploads come.
  setMaxListeners(0, endUploads.signal);
  const callers = new WeakMap<FastifyRequest, Caller>();

  const { app, lingering } = createBareApp({ access, limits, logger, basePath }, (bare) => {
    logRequests(bare, createClientNames(access.logClients));
    metrics.watch(bare);
    traceRequests(bare);
    watchAnswers(bare, (request, reply) => {
      const caller = callers.get(request);
      const { errorCode } = factsOf(request);
      if (caller === undefined) return;
      if (errorCode !== undefined) readiness.note(caller.client, errorCode);
      else if (reply.statusCode === 200) readiness.note(caller.client, null);
    });
  });
  limitConnections(app, limits, access.trustProxy);
  const inFlight = watchInFlight(app);
  const methods = tokens.areNeeded ? SIGN_IN_METHODS : METHODS;
  answerErrors(app, pairing === null ? methods : new Map([...methods, ...PAIRING_METHODS]));
  // Only forms are read; anything else is 415 without being parsed.
  app.removeAllContentTypeParsers();
  await describeRoutes(app, tokens.areNeeded);

  const answers = createAnswers(options, limits, clock, app.log, metrics.noteBadStoredAnswer);
  await app.register(async (api) => {
    guardOrigins(api, originRule);
    await api.register(fastifyMultipart);
    const models = options.models;
    addHealthRoute(api, {
      engines,
      textRules,
      queueLoad: service.load,
      readiness,
      freePieces: options.freePieces ?? false,
      audioTypes: decoder.audioTypes,
      ...(options.vocabulary && { vocabulary: options.vocabulary }),
      ...(models === undefined ? {} : { models: () => models.engines.map(modelAnswer) }),
    });
    addVocabularyRoute(api, {
      vocabulary: options.vocabulary,
      admit(request, reply) {
        const { client, tokenId } = checkCaller(request, reply);
        rateLimit.take(client);
        return tokenId;
      },
    });
    if (models !== undefined) {
      addModelRoutes(api, {
        ...models,
        admit(request, reply) {
          const { client } = checkCaller(request, reply);
          rateLimit.take(client);
        },
      });
    }
    const recordings: RecordingPorts = {
      service,
      answers,
      engine: () => engines.description,
      limits,
      clock,
      ending: endUploads.signal,
      admission: createAdmission(limits),
      admit(request, reply) {
        const caller = checkCaller(request, reply);
        callers.set(request, caller);
        if (caller.tokenId !== null) noteFacts(request, { token: caller.tokenId });
        rateLimit.take(caller.client);
        memory.requireRoom();
        return caller;
      },
      admitPreview({ client }) {
        rateLimit.giveBack(client);
        previewRateLimit.take(client);
      },
    };
    const takeRecording = createTakeRecording(recordings);
    const { maxUploadBytes } = limits;
    addTranscribeRoute(api, takeRecording, maxUploadBytes);
    await addRealtimeRoute(api, {
      ...recordings,
      kernel,
      requireOrigin: (request) => requireOrigin(request, originRule),
      admitItem(client) {
        rateLimit.take(client);
        memory.requireRoom();
      },
      noteItem(request, client, { code, engine, audioMs }) {
        metrics.noteItem(code, engine, audioMs);
        readiness.note(client, code);
        request.log.info({ code, engine, audioMs }, 'an item was answered');
      },
    });
    addOpenAiRoutes(api, { takeRecording, engines, maxUploadBytes, requireCaller: checkCaller });
  });
  addProbes(app, readiness);
  if (basePath !== '') {
    app.get(basePath, async (_request, reply) => reply.redirect(`${basePath}/`, 308));
  }
  if (tokens.areNeeded) {
    addSignIn(app, {
      tokens,
      basePath,
      takeTry: (request) => rateLimit.take(clientKey(clientAddress(request))),
    });
  }
  if (pairing !== null) {
    const pairingRate = createRateLimit(PAIRINGS_PER_MINUTE, clock);
    addPairing(app, {
      pairing,
      tokens,
      takeTry: (request) => pairingRate.take(clientKey(clientAddress(request))),
    });
  }
  await addPages(app, options.pages ?? { kind: 'none' }, tokens);

  const { app: adminApp } = createBareApp({ access, limits, logger });
  answerErrors(adminApp, new Map());
  addProbes(adminApp, readiness);
  metrics.serve(adminApp);

  app.addHook('onReady', async () => {
    void engines.start();
  });
  const filesMs = limits.lingerMs;
  const stopping = { readiness, service, endUploads, inFlight, answers, lingering };
  stopInOrder(app, { ...stopping, clock, filesMs });
  app.addHook('onClose', async () => {
    await adminApp.close();
    await Promise.all([decoder.dispose(), engines.dispose()]);
    await options.answerStore?.close();
  });
  return { app, adminApp };
}

function createAnswers(
  { answerStore: store }: AppOptions,
  limits: ServerLimits,
  clock: Clock,
  log: FastifyBaseLogger,
  noteBadValue: () => void,
): AnswerMemory<TranscriptionAnswer> {
  const keptMs = limits.answerKeptMs;
  const local = createAnswerMemory<TranscriptionAnswer>({
    clock,
    keptMs,
    maxKept: limits.maxAnswersKept,
    maxBytes: limits.maxAnswerBytes,
    bytesOf: answerBytes,
  });
  if (store === undefined) return local;
  return createSharedAnswers({
    store,
    local,
    clock,
    keptMs,
    isAnswer: isTranscriptionAnswer,
    onStoreFailure: () => log.warn('the answer store cannot be used'),
    onBadValue() {
      noteBadValue();
      log.warn('a value in the answer store was none of ours, and was deleted');
    },
  });
}
