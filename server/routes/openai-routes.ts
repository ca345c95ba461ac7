import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DEFAULT_SESSION_OPTIONS } from '../../src/core/options/dictation-options.ts';
import { srtOf, vttOf } from '../../src/core/text/subtitles.ts';
import { ApiError } from '../core/api-error.ts';
import type { EngineSet } from '../engine/engine-set.ts';
import { refuseMethod } from '../http/error-answers.ts';
import type { TranscriptionAnswer } from '../transcription/transcription-service.ts';
import { type FormFields, flag, readForm } from './read-form.ts';
import {
  OPENAI_FORM_SCHEMA,
  OPENAI_MODELS_SCHEMA,
  OPENAI_TRANSCRIPTION_SCHEMA,
  openAiErrorAnswers,
  RECORDING_ERRORS,
  RESPONSE_FORMATS,
  type ResponseFormat,
  TRANSCRIPTION_HEADERS_SCHEMA,
} from './schemas.ts';
import type { RecordingForm, TakeRecording } from './transcribe.ts';

/** The body of `response_format=json`. */
function shortAnswer({ transcription, durationMs }: TranscriptionAnswer) {
  return { text: transcription, usage: usageOf(durationMs) };
}

/** The parts that a text has: one for all of it where no engine tells more. */
function partsOf({ transcription: text, durationMs, parts }: TranscriptionAnswer) {
  if (parts !== undefined && parts.length > 0) return parts;
  return text === '' ? [] : [{ text, startMs: 0, endMs: durationMs }];
}

const seconds = (ms: number) => ms / 1_000;

/** The body of `response_format=verbose_json`. Times or odds that nobody told are not made up. */
function longAnswer(answer: TranscriptionAnswer, { granularities }: OpenAiForm) {
  const { transcription: text, language, durationMs } = answer;
  const parts = partsOf(answer);
  const wants = (what: 'word' | 'segment') =>
    granularities.length === 0 || granularities.includes(what);
  const words = parts.flatMap(({ words = [] }) =>
    words.map(({ text: word, startMs, endMs, certainty }) => ({
      word,
      start: seconds(startMs),
      end: seconds(endMs),
      ...(certainty !== undefined && { certainty }),
    })),
  );
  const segments = parts.map((part, id) => ({
    id,
    start: seconds(part.startMs),
    end: seconds(part.endMs),
    text: part.text,
  }));
  return {
    task: 'transcribe',
    language: languageName(language),
    duration: seconds(durationMs),
    text,
    // Programs read this one without looking whether it is there.
    segments: wants('segment') || words.length === 0 ? segments : [],
    ...(words.length > 0 && wants('word') && { words }),
    usage: usageOf(durationMs),
  };
}

/** The answer to `stream=true`: the text, as server-sent events. */
function eventsOf({ transcription: text }: TranscriptionAnswer): string {
  const delta = { type: 'transcript.text.delta', delta: text };
  const done = { type: 'transcript.text.done', text };
  return (text === '' ? [done] : [delta, done])
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');
}

function usageOf(durationMs: number) {
  return { type: 'duration', seconds: Math.ceil(durationMs / 1_000) } as const;
}

const NAMES = new Intl.DisplayNames(['en'], { type: 'language' });

/** OpenAI says `swedish`, not `sv`. */
function languageName(code: string): string {
  return code === '' ? '' : (NAMES.of(code) ?? code).toLowerCase();
}

/** The wishes of a program in OpenAI's form. */
type OpenAiForm = RecordingForm & {
  readonly responseFormat: ResponseFormat;
  /** The parts of the answer that get times; empty: all. */
  readonly granularities: readonly string[];
  /** True for an answer as server-sent events. */
  readonly isStream: boolean;
};

const FIELDS: FormFields = {
  file: 'file',
  texts: ['language', 'response_format', 'stream', 'removePii', 'fixSpelling', 'fast'],
  lists: ['timestamp_granularities'],
  // The rest, such as the prompt, is not looked at.
  maxTextBytes: 8_192,
  // Each kind of server has some of its own, and programs send them to all.
  unknown: 'ignored',
};

/**
 * Reads the form of OpenAI's call: `file`, `language`, `response_format`, `stream`, and our own
 * `removePii`, `fixSpelling` and `fast`. The text rules are off unless asked for: such programs
 * have their own. Others are ignored (`model`, `prompt`, `temperature`). Throws as `readForm` does,
 * and 400 for what none of these can be.
 */
async function readOpenAiForm(
  request: FastifyRequest,
  maxUploadBytes: number,
): Promise<OpenAiForm> {
  const { file, texts: given, lists } = await readForm(request, FIELDS, maxUploadBytes);
  const texts = new Map([...given].flatMap(([name, text]) => written(name, text)));
  const responseFormat = readFormat(texts.get('response_format') ?? 'json');
  const isStream = flag(texts, 'stream', false);
  if (isStream && !['json', 'text'].includes(responseFormat)) {
    throw new ApiError(400, 'field_invalid', 'With stream, response_format is json or text.');
  }
  return {
    file,
    removePii: flag(texts, 'removePii', false),
    fixSpelling: flag(texts, 'fixSpelling', false),
    fast: flag(texts, 'fast', DEFAULT_SESSION_OPTIONS.fast),
    rank: 'final',
    language: texts.get('language') ?? '',
    responseFormat,
    // As a list, or as a program writes a list down.
    granularities: [
      ...(lists.get('timestamp_granularities') ?? []).join().matchAll(/word|segment/g),
    ].map(String),
    isStream,
  };
}

/** Python writes `False`; an empty variable of a program is none at all. */
function written(name: string, text: string): readonly (readonly [string, string])[] {
  const isWord = name === 'response_format' || name === 'stream';
  if (isWord && ['', 'null', 'none', 'undefined'].includes(text.toLowerCase())) return [];
  return [[name, name === 'language' ? text : text.toLowerCase()]];
}

function readFormat(given: string): ResponseFormat {
  const format = RESPONSE_FORMATS.find((known) => known === given);
  if (format !== undefined) return format;
  const message = `response_format must be one of ${RESPONSE_FORMATS.join(', ')}.`;
  throw new ApiError(400, 'field_invalid', message);
}

/** Where programs made for OpenAI send recordings. */
export const OPENAI_TRANSCRIBE_PATH = '/v1/audio/transcriptions';

/** Where they ask what there is, and below it for one of them. */
export const OPENAI_MODELS_PATH = '/v1/models';

/** The parts that the routes work with. */
type OpenAiPorts = {
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
    if (form.responseFormat === 'srt') {
      return reply.type('text/plain; charset=utf-8').send(srtOf(partsOf(answer)));
    }
    if (form.responseFormat === 'vtt') {
      return reply.type('text/vtt; charset=utf-8').send(vttOf(partsOf(answer)));
    }
    if (form.responseFormat === 'text') {
      return reply.type('text/plain; charset=utf-8').send(`${answer.transcription}\n`);
    }
    return form.responseFormat === 'json' ? shortAnswer(answer) : longAnswer(answer, form);
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
