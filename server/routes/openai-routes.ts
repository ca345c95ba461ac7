import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../core/api-error.ts';
import type { EngineSet } from '../engine/engine-set.ts';
import { refuseMethod } from '../http/error-answers.ts';
import { eventsOf, longAnswer, shortAnswer } from './openai-answers.ts';
import { readOpenAiForm } from './openai-form.ts';
import {
  OPENAI_FORM_SCHEMA,
  OPENAI_MODELS_SCHEMA,
  OPENAI_TRANSCRIPTION_SCHEMA,
  openAiErrorAnswers,
  RECORDING_ERRORS,
  TRANSCRIPTION_HEADERS_SCHEMA,
} from './schemas.ts';
import type { TakeRecording } from './take-recording.ts';

/** Where programs made for OpenAI send recordings. */
export const OPENAI_TRANSCRIBE_PATH = '/v1/audio/transcriptions';

/** Where they ask what there is, and below it for one of them. */
export const OPENAI_MODELS_PATH = '/v1/models';

/** What the routes work with. */
export type OpenAiPorts = {
  readonly takeRecording: TakeRecording;
  readonly engines: Pick<EngineSet, 'engines'>;
  readonly maxUploadBytes: number;
  /** Throws for a client that may not ask. */
  readonly requireCaller: (request: FastifyRequest, reply: FastifyReply) => void;
};

/**
 * `POST /v1/audio/transcriptions`, `GET /v1/models` and one of those in OpenAI's form, for programs made for it.
 * Any `model` will do: the language decides which engine writes.
 */
export function addOpenAiRoutes(app: FastifyInstance, ports: OpenAiPorts): void {
  const { takeRecording, engines, maxUploadBytes, requireCaller } = ports;
  const security = [{ token: [] }];
  const transcribeSchema = {
    summary: 'The same for programs made for OpenAI',
    consumes: ['multipart/form-data'],
    headers: TRANSCRIPTION_HEADERS_SCHEMA,
    body: OPENAI_FORM_SCHEMA,
    security,
    response: { 200: OPENAI_TRANSCRIPTION_SCHEMA, ...openAiErrorAnswers(RECORDING_ERRORS) },
  };
  app.options(OPENAI_TRANSCRIBE_PATH, refuseMethod('POST'));
  app.post(OPENAI_TRANSCRIBE_PATH, { schema: transcribeSchema }, async (request, reply) => {
    const { form, answer } = await takeRecording(request, reply, () =>
      readOpenAiForm(request, maxUploadBytes),
    );
    if (form.isStream) {
      return reply.type('text/event-stream; charset=utf-8').send(eventsOf(answer));
    }
    if (form.responseFormat === 'text') {
      return reply.type('text/plain; charset=utf-8').send(`${answer.transcription}\n`);
    }
    return form.responseFormat === 'json' ? shortAnswer(answer) : longAnswer(answer);
  });

  const modelsSchema = {
    summary: 'The engines, for programs made for OpenAI',
    security,
    response: {
      200: OPENAI_MODELS_SCHEMA,
      ...openAiErrorAnswers({ 401: RECORDING_ERRORS[401] ?? '' }),
    },
  };
  app.options(OPENAI_MODELS_PATH, refuseMethod('GET, HEAD'));
  app.get(OPENAI_MODELS_PATH, { schema: modelsSchema }, async (request, reply) => {
    requireCaller(request, reply);
    return { object: 'list', data: models() };
  });

  const oneModel = `${OPENAI_MODELS_PATH}/*`;
  app.options(oneModel, refuseMethod('GET, HEAD'));
  // Names may have slashes in them, written as such or not.
  app.get<{ Params: { '*': string } }>(oneModel, async (request, reply) => {
    requireCaller(request, reply);
    const model = models().find(({ id }) => id === request.params['*']);
    if (model === undefined) throw new ApiError(404, 'not_found', 'There is no such model.');
    return model;
  });

  function models() {
    const names = engines.engines.map(({ description }) => description.model);
    return [...new Set(names)].map((id) => ({
      id,
      object: 'model',
      created: 0,
      owned_by: 'diktera',
    }));
  }
}
