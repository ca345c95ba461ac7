import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isFromThisMachine, isSameOrigin } from '../access/callers.ts';
import { ApiError } from '../core/api-error.ts';
import { refuseMethod } from '../http/error-answers.ts';
import { diskBytes, totalBytes } from '../models/layout/model-folder.ts';
import { type LocalEngine, type ModelFault, shareDone } from '../models/local-engine.ts';
import { errorAnswers, MODELS_SCHEMA } from './schemas.ts';

/** Where a page asks which models there are, and has one fetched. */
export const MODELS_PATH = '/api/models';

/** The head that carries the token. A page of another site cannot set it without being asked. */
const TOKEN_HEADER = 'x-diktera-models';

/** The callers who may have a model fetched: browsers on this machine, all who may transcribe, or nobody. */
type ModelFetchers = 'loopback' | 'callers' | 'nobody';

/** A model as clients see it. */
export type ModelAnswer = {
  readonly id: string;
  readonly name: string;
  readonly languages: readonly string[];
  readonly state: string;
  /** Why it failed; null when it has not. */
  readonly reason: string | null;
  /** The same as a code; null when it has not. */
  readonly fault: ModelFault | null;
  /** 0 to 1. */
  readonly share: number;
  /** The time since the last byte of a download, in ms; null when nothing is fetched. */
  readonly stillMs: number | null;
  readonly downloadBytes: number;
  readonly diskBytes: number;
  readonly memoryBytes: number;
  readonly licence: string;
  readonly licenceUrl: string;
  readonly attribution: string;
  /** Where it can be read about. */
  readonly source: string;
  /** The changes made to it; null for none. */
  readonly changes: string | null;
};

/** The parts that the routes work with. */
export type ModelsPorts = {
  readonly engines: readonly LocalEngine[];
  readonly fetchers: ModelFetchers;
  /** Throws for a client that may not transcribe either. */
  readonly admit: (request: FastifyRequest, reply: FastifyReply) => unknown;
};

const ERRORS = {
  401: 'A token is needed.',
  403: 'Only a page on the machine itself may do this, or the head with the token is wrong.',
  404: 'There is no such model, or nothing of this name can be done.',
  429: 'Too much of one client; come again after Retry-After.',
};

/** A model for clients. */
export function modelAnswer(engine: LocalEngine): ModelAnswer {
  const { model } = engine;
  const { id, name, languages, memoryBytes, licence, licenceUrl, attribution, changes } = model;
  const progress = engine.progress();
  return {
    id,
    name,
    languages,
    state: progress.kind,
    reason: 'reason' in progress ? progress.reason : null,
    fault: 'fault' in progress ? progress.fault : null,
    share: shareDone(progress, totalBytes(model)),
    stillMs: engine.stillMs(),
    downloadBytes: totalBytes(model),
    diskBytes: diskBytes(model),
    memoryBytes,
    licence,
    licenceUrl,
    attribution,
    source: `https://huggingface.co/${model.repository}`,
    changes,
  };
}

/** `GET /api/models`, and `POST /api/models/ID/fetch`, `pause` and `cancel`. */
export function addModelRoutes(app: FastifyInstance, ports: ModelsPorts): void {
  const { engines, fetchers, admit } = ports;
  const token = randomBytes(24).toString('base64url');

  function mayFetch(request: FastifyRequest): boolean {
    if (fetchers === 'nobody' || !isSameOrigin(request)) return false;
    return fetchers === 'callers' || isFromThisMachine(request);
  }

  const schema = {
    summary: 'The models this server can run by itself',
    security: [{ token: [] }, { cookie: [] }],
    response: { 200: MODELS_SCHEMA, ...errorAnswers(ERRORS) },
  };
  app.get(MODELS_PATH, { schema }, async (request, reply) => {
    admit(request, reply);
    reply.header('cache-control', 'no-store');
    return { token: mayFetch(request) ? token : null, models: engines.map(modelAnswer) };
  });

  app.options(`${MODELS_PATH}/:id/:action`, refuseMethod('POST'));
  app.post<{ Params: { id: string; action: string } }>(
    `${MODELS_PATH}/:id/:action`,
    { schema: { ...schema, summary: 'Has a model fetched, or stops that' } },
    async (request, reply) => {
      admit(request, reply);
      const given = request.headers[TOKEN_HEADER];
      if (!mayFetch(request) || typeof given !== 'string' || !isSame(given, token)) {
        const message =
          'Models are fetched from a page on this machine, or as its operator allows.';
        throw new ApiError(403, 'origin_not_allowed', message);
      }
      const { id, action } = request.params;
      const engine = engines.find(({ model }) => model.id === id);
      if (engine === undefined) throw new ApiError(404, 'not_found', 'There is no such model.');
      if (action === 'fetch') engine.fetch();
      else if (action === 'pause') engine.pause();
      else if (action === 'cancel') await engine.cancel();
      else throw new ApiError(404, 'not_found', 'A model takes fetch, pause and cancel.');
      return { token, models: engines.map(modelAnswer) };
    },
  );
}

function isSame(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}
