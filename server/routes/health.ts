import type { FastifyInstance } from 'fastify';
import { DECODABLE_AUDIO_TYPES } from '../audio/decodable-audio.ts';
import type { TranscriptionEngine } from '../engine/engine-port.ts';
import type { EngineSet } from '../engine/engine-set.ts';
import { refuseMethod } from '../http/error-answers.ts';
import type { Readiness } from '../operations/readiness.ts';
import type { QueueLoad } from '../scheduling/work-queue.ts';
import type { TextRules } from '../text/text-rules.ts';
import type { ModelAnswer } from './models.ts';
import { HEALTH_SCHEMA } from './schemas.ts';

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
  /** What an empty `language` means; null when the engine finds out by itself. */
  readonly defaultLanguage: string | null;
  /** Every engine with its own languages and state; one entry when there is one engine. */
  readonly engines: readonly EngineHealth[];
  readonly audioTypes: readonly string[];
  /** Whether a dictation may come in many short requests: nobody is billed by the request. */
  readonly freePieces: boolean;
  /** A request that comes again under its `Idempotency-Key` is done once. */
  readonly idempotencyKeys: true;
  readonly textRules: TextRules['states'];
  readonly queue: QueueLoad;
  /** Those that are fetched, with how far they are; absent where the server has none. */
  readonly models?: readonly ModelAnswer[];
};

/** One engine of those the server has. */
export type EngineHealth = {
  readonly engine: string;
  readonly model: string;
  /** Those that requests for it go to. */
  readonly languages: readonly string[];
  readonly status: HealthAnswer['status'];
  readonly reason: string | null;
};

/** What the route reports on. */
export type HealthPorts = {
  readonly engines: EngineSet;
  readonly textRules: TextRules;
  readonly queueLoad: () => QueueLoad;
  readonly readiness: Readiness;
  readonly freePieces: boolean;
  /** @default none */
  readonly models?: () => readonly ModelAnswer[];
};

/** `GET /api/health`: 200 when the engine is ready and nothing stops, else 503; the same body. */
export function addHealthRoute(app: FastifyInstance, ports: HealthPorts): void {
  const { engines, textRules, queueLoad, readiness, freePieces, models } = ports;
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
      audioTypes: DECODABLE_AUDIO_TYPES,
      freePieces,
      idempotencyKeys: true,
      textRules: textRules.states,
      queue: queueLoad(),
      ...(models === undefined ? {} : { models: models() }),
    };
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
