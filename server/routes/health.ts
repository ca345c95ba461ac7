import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SERVER_VERSION } from '../core/system.ts';
import type { TranscriptionEngine } from '../engine/engine-port.ts';
import type { EngineSet } from '../engine/engine-set.ts';
import { refuseMethod } from '../http/error-answers.ts';
import type { Readiness } from '../operations/readiness.ts';
import type { QueueLoad } from '../scheduling/work-queue.ts';
import type { SharedVocabulary } from '../text/shared-vocabulary.ts';
import type { TextRules } from '../text/text-rules.ts';
import type { ModelAnswer } from './models.ts';
import {
  errorAnswers,
  HEALTH_SCHEMA,
  PROBE_SCHEMA,
  VERSION_SCHEMA,
  VOCABULARY_SCHEMA,
} from './schemas.ts';

/** Where an orchestrator asks whether the process runs at all. */
export const LIVE_PATH = '/livez';

/** Where a balancer asks whether to send requests here. */
export const READY_PATH = '/readyz';

/** Where one asks what runs here. */
export const VERSION_PATH = '/version';

/**
 * `GET /livez`: 200 while the process answers, its engine or no engine. `GET /readyz`: 200, or 503
 * with the reason while the engine loads or is away, while most transcriptions fail, and from the
 * first moment of a stop. `GET /version`. `OPTIONS /` is what balancers ask who were told nothing
 * else: it says that the process answers.
 */
export function addProbes(app: FastifyInstance, readiness: Readiness): void {
  app.options('/', async (_request, reply) => reply.code(204).header('allow', 'GET, HEAD').send());
  app.get(LIVE_PATH, { schema: { response: { 200: PROBE_SCHEMA } } }, async () => {
    return { status: 'live', reason: null };
  });
  app.get(
    READY_PATH,
    { schema: { response: { 200: PROBE_SCHEMA, 503: PROBE_SCHEMA } } },
    async (_request, reply) => {
      const state = readiness.state();
      if (state.kind === 'ready') return { status: state.kind, reason: null };
      reply.code(503).header('retry-after', state.kind === 'loading' ? '1' : '5');
      return { status: state.kind, reason: state.reason };
    },
  );
  app.get(VERSION_PATH, { schema: { response: { 200: VERSION_SCHEMA } } }, async () => {
    return { name: 'diktera', version: SERVER_VERSION, node: process.version };
  });
}

/** Where one asks whether speech can be turned into text. */
export const HEALTH_PATH = '/api/health';

/** The body of the health answer. */
export type HealthAnswer = {
  readonly status: 'loading' | 'ready' | 'failed' | 'stopping';
  /** Why it is not ready; null when it is. */
  readonly reason: string | null;
  readonly engine: string;
  readonly model: string;
  readonly languages: readonly string[];
  /** The language that an empty one stands for; null when the engine finds out by itself. */
  readonly defaultLanguage: string | null;
  /** Every engine with its own languages and state; one entry when there is one engine. */
  readonly engines: readonly EngineHealth[];
  readonly audioTypes: readonly string[];
  /** True if a dictation may come in many short requests: nobody is billed by the request. */
  readonly freePieces: boolean;
  /** Characters of names and terms that a request may say are to be expected; 0 for none. */
  readonly vocabularyCharacters: number;
  /** A request that comes again under its `Idempotency-Key` is done once. */
  readonly idempotencyKeys: true;
  /** A request may ask for the times of what was said. */
  readonly times: true;
  readonly textRules: TextRules['states'];
  readonly queue: QueueLoad;
  /** Stands for what `/api/vocabulary` has; absent where that is nothing. */
  readonly sharedVocabulary?: string;
  /** Those that are fetched, with how far they are; absent where the server has none. */
  readonly models?: readonly ModelAnswer[];
};

/** One engine of those the server has. */
type EngineHealth = {
  readonly engine: string;
  readonly model: string;
  /** Those that requests for it go to. */
  readonly languages: readonly string[];
  readonly status: HealthAnswer['status'];
  readonly reason: string | null;
};

/** The parts that the route reports on. */
type HealthPorts = {
  readonly engines: EngineSet;
  readonly textRules: TextRules;
  readonly queueLoad: () => QueueLoad;
  readonly readiness: Readiness;
  readonly freePieces: boolean;
  readonly audioTypes: readonly string[];
  /** @default none */
  readonly vocabulary?: Pick<SharedVocabulary, 'version'>;
  /** @default none */
  readonly models?: () => readonly ModelAnswer[];
};

/** `GET /api/health`: 200 when the engine is ready and nothing stops, else 503; the same body. */
export function addHealthRoute(app: FastifyInstance, ports: HealthPorts): void {
  const { engines, textRules, queueLoad, readiness, freePieces, audioTypes, models } = ports;
  const schema = {
    summary: 'Whether speech can be turned into text, and which',
    response: { 200: HEALTH_SCHEMA, 503: HEALTH_SCHEMA },
  };
  app.options(HEALTH_PATH, refuseMethod('GET, HEAD'));
  app.get(HEALTH_PATH, { schema }, async (_request, reply): Promise<HealthAnswer> => {
    const state = engines.state();
    const serving = readiness.state();
    const { engine, model, languages, defaultLanguage } = engines.description;
    const isStopping = serving.kind === 'stopping';
    const sharedVocabulary = (await ports.vocabulary?.version()) ?? null;
    if (isStopping || state.kind !== 'ready') reply.code(503);
    if (state.kind === 'loading') reply.header('retry-after', '1');
    return {
      status: isStopping ? 'stopping' : state.kind,
      reason: isStopping ? serving.reason : reasonOf(state),
      engine,
      model,
      languages,
      defaultLanguage,
      engines: engines.engines.map((engine) => healthOf(engine, engines)),
      audioTypes,
      freePieces,
      vocabularyCharacters: Math.max(
        ...engines.engines.map(({ description }) => description.vocabularyCharacters ?? 0),
      ),
      idempotencyKeys: true,
      times: true,
      textRules: textRules.states,
      queue: queueLoad(),
      ...(sharedVocabulary === null ? {} : { sharedVocabulary }),
      ...(models === undefined ? {} : { models: models() }),
    };
  });
}

/** Where a page asks for the operator's names, terms and snippets. */
export const VOCABULARY_PATH = '/api/vocabulary';

type VocabularyPorts = {
  readonly vocabulary: Pick<SharedVocabulary, 'listsFor'> | undefined;
  /** The token's name in the log, or null; throws for a client that may not transcribe either. */
  readonly admit: (request: FastifyRequest, reply: FastifyReply) => string | null;
};

/** `GET /api/vocabulary`: what everybody has, and whoever asks; empty where there is nothing. */
export function addVocabularyRoute(app: FastifyInstance, ports: VocabularyPorts): void {
  const schema = {
    summary: 'Names, terms and snippets that the operator has for all',
    security: [{ token: [] }, { cookie: [] }],
    response: {
      200: VOCABULARY_SCHEMA,
      ...errorAnswers({ 401: 'A token is needed.', 429: 'Too much of one client.' }),
    },
  };
  app.options(VOCABULARY_PATH, refuseMethod('GET, HEAD'));
  app.get(VOCABULARY_PATH, { schema }, async (request, reply) => {
    const tokenId = ports.admit(request, reply);
    reply.header('cache-control', 'no-store');
    return (await ports.vocabulary?.listsFor(tokenId)) ?? { vocabulary: [], replacements: [] };
  });
}

function healthOf(engine: TranscriptionEngine, whole: EngineSet): EngineHealth {
  const state = engine.state();
  const { languages } = whole.description;
  return {
    engine: engine.description.engine,
    model: engine.description.model,
    languages: languages.filter((language) => whole.engineFor(language) === engine),
    status: state.kind,
    reason: reasonOf(state),
  };
}

function reasonOf(state: ReturnType<TranscriptionEngine['state']>): string | null {
  if (state.kind === 'loading') {
    if (state.share === undefined) return 'the speech engine is loading';
    return `its model is being made ready (${Math.floor(100 * state.share)} %)`;
  }
  return state.kind === 'failed' ? state.reason : null;
}
