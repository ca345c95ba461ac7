import fastifySwagger from '@fastify/swagger';
import { Ajv } from 'ajv';
import type { FastifyInstance } from 'fastify';
import { DEFAULT_SESSION_OPTIONS } from '../../src/core/options/dictation-options.ts';
import { SERVER_VERSION } from '../core/system.ts';
import type { TranscriptionAnswer } from '../transcription/transcription-service.ts';

/** The forms in which `POST /v1/audio/transcriptions` can answer. */
export const RESPONSE_FORMATS = ['json', 'text', 'srt', 'vtt', 'verbose_json'] as const;

/** One of them. */
export type ResponseFormat = (typeof RESPONSE_FORMATS)[number];

/**
 * The API's bodies as JSON Schema: for `/openapi.json`, its test, and stored
 * answers.
 */

const text = { type: 'string' } as const;
const nullableText = { type: ['string', 'null'] } as const;
const texts = { type: 'array', items: text } as const;
const ruleOutcome = { type: 'string', enum: ['off', 'applied', 'inactive', 'failed'] } as const;
const ruleState = { type: 'string', enum: ['active', 'inactive'] } as const;
const count = { type: 'integer', minimum: 0 } as const;
const engineStatus = { type: 'string', enum: ['loading', 'ready', 'failed', 'stopping'] } as const;

/** An object that has all of `properties`. */
function record<T extends Readonly<Record<string, object>>>(properties: T) {
  return { type: 'object', required: Object.keys(properties), properties } as const;
}

const spanOfMs = { startMs: { ...count }, endMs: { ...count } } as const;

const PARTS_SCHEMA = {
  type: 'array',
  description:
    'Where it was said, with `times=true`; words where the engine tells their times, and absent where it tells nothing.',
  items: {
    type: 'object',
    required: ['text', 'startMs', 'endMs'],
    properties: {
      text,
      ...spanOfMs,
      words: {
        type: 'array',
        items: {
          type: 'object',
          required: ['text', 'startMs', 'endMs'],
          properties: {
            text,
            ...spanOfMs,
            certainty: {
              type: 'number',
              minimum: 0,
              maximum: 1,
              description: "That of the word's least certain token, where the engine tells it.",
            },
          },
        },
      },
    },
  },
} as const;

const TRANSCRIPTION_FIELDS = record({
  transcription: { ...text, description: "The words; '' when nobody speaks." },
  language: { ...text, description: "Asked for or found out; '' when the engine does not tell." },
  durationMs: { ...count, description: 'Length of the audio that was read.' },
  complete: {
    type: 'boolean',
    description: 'False when the text may not be all that was said: keep the audio.',
  },
  engine: text,
  model: text,
  textRules: record({ removePii: ruleOutcome, fixSpelling: ruleOutcome }),
});

export const TRANSCRIPTION_SCHEMA = {
  ...TRANSCRIPTION_FIELDS,
  properties: { ...TRANSCRIPTION_FIELDS.properties, parts: PARTS_SCHEMA },
} as const;

/** Models that are fetched, in the health answer too. */
const MODEL_SCHEMA = record({
  id: text,
  name: text,
  languages: texts,
  state: {
    type: 'string',
    enum: [
      ...['absent', 'fetching', 'paused', 'converting', 'trying', 'ready'],
      ...['failed', 'quarantined'],
    ],
  },
  reason: nullableText,
  fault: {
    type: ['string', 'null'],
    enum: [
      ...['no-network', 'refused', 'wrong-bytes', 'bad-proxy', 'disk-full', 'disk-small'],
      ...['read-only', 'memory-small', 'not-convertible', 'unusable', 'unknown', null],
    ],
    description: 'The reason as a code.',
  },
  share: { type: 'number', description: 'How much of the way is done, 0 to 1.' },
  stillMs: {
    type: ['number', 'null'],
    description: 'How long nothing has come of what is being fetched; null when nothing is.',
  },
  downloadBytes: count,
  diskBytes: count,
  memoryBytes: count,
  licence: text,
  licenceUrl: text,
  attribution: text,
  source: { ...text, description: 'An address where it can be read about.' },
  changes: { ...nullableText, description: 'What was changed in it.' },
});

const health = record({
  status: engineStatus,
  reason: { ...nullableText, description: 'Why it is not ready; null when it is.' },
  engine: text,
  model: text,
  languages: texts,
  defaultLanguage: {
    ...nullableText,
    description: 'What an empty language means; null when the engine finds out by itself.',
  },
  engines: {
    type: 'array',
    items: record({
      engine: text,
      model: text,
      languages: texts,
      status: engineStatus,
      reason: nullableText,
    }),
  },
  audioTypes: texts,
  freePieces: {
    type: 'boolean',
    description: 'Whether a dictation may come in many short requests at no cost.',
  },
  vocabularyCharacters: {
    ...count,
    description: 'Characters of names and terms that a request may say are to be expected.',
  },
  idempotencyKeys: { type: 'boolean', enum: [true] },
  times: {
    type: 'boolean',
    enum: [true],
    description: 'A request may ask for the times of what was said.',
  },
  textRules: record({ removePii: ruleState, fixSpelling: ruleState }),
  queue: record({ running: count, waiting: count, concurrency: count, maxWaiting: count }),
});

export const HEALTH_SCHEMA = {
  ...health,
  properties: {
    ...health.properties,
    sharedVocabulary: { ...text, description: 'Changes with what /api/vocabulary has.' },
    models: { type: 'array', items: MODEL_SCHEMA },
  },
} as const;

/** The operator's names, terms and snippets. */
export const VOCABULARY_SCHEMA = record({
  vocabulary: {
    type: 'array',
    items: {
      type: 'object',
      required: ['write'],
      properties: { write: text, soundsLike: texts },
    },
  },
  replacements: {
    type: 'array',
    items: {
      type: 'object',
      required: ['say', 'write'],
      properties: { say: text, write: text, needsKeyWord: { type: 'boolean' } },
    },
  },
});

const errorBody = record({
  code: { ...text, description: 'One of the codes in docs/api.' },
  message: { ...text, description: 'For a developer; never holds content.' },
});

const ERROR_SCHEMA = record({
  error: {
    ...errorBody,
    properties: {
      ...errorBody.properties,
      share: {
        type: 'number',
        description: 'With engine_loading: how much of the way is done, 0 to 1, where it is long.',
      },
    },
  },
});

export const PROBE_SCHEMA = record({
  status: { type: 'string', enum: ['live', 'ready', 'loading', 'failing', 'stopping'] },
  reason: nullableText,
});

export const VERSION_SCHEMA = record({ name: text, version: text, node: text });

const flag = { type: 'string', enum: ['true', 'false'] } as const;

export const MODELS_SCHEMA = record({
  token: {
    ...nullableText,
    description: 'To be sent as x-diktera-models; null for a client that may only look.',
  },
  models: { type: 'array', items: MODEL_SCHEMA },
});

/** The multipart form; the route reads and judges it itself. */
export const FORM_SCHEMA = {
  type: 'object',
  required: ['audioFile'],
  properties: {
    audioFile: {
      type: 'string',
      format: 'binary',
      description: 'Of a kind in `audioTypes` of /api/health; its name and type are not looked at.',
    },
    removePii: { ...flag, default: String(DEFAULT_SESSION_OPTIONS.removePii) },
    fixSpelling: { ...flag, default: String(DEFAULT_SESSION_OPTIONS.fixSpelling) },
    fast: { ...flag, default: String(DEFAULT_SESSION_OPTIONS.fast) },
    preview: {
      ...flag,
      default: 'false',
      description:
        'For showing only: done after all others, 503 when there is no time, no Idempotency-Key.',
    },
    times: {
      ...flag,
      default: 'false',
      description: 'The answer has `parts`: where in the audio the words were said.',
    },
    vocabulary: {
      ...text,
      maxLength: 4_096,
      description:
        'Names and terms to expect, the likeliest first, separated by commas; of them as many as `vocabularyCharacters` of /api/health says.',
    },
    language: {
      ...text,
      default: '',
      description:
        "A language such as 'sv'; '' is the browser's (Accept-Language), else the server's default.",
    },
  },
} as const;

/** Headers of a transcription. */
export const TRANSCRIPTION_HEADERS_SCHEMA = {
  type: 'object',
  properties: {
    'idempotency-key': {
      ...text,
      pattern: '^[\\x21-\\x7e]{1,200}$',
      description: 'The same key with the same content is worked on once, for ten minutes.',
    },
    traceparent: { ...text, description: 'W3C Trace Context; its trace stands in the log.' },
    'x-request-id': { ...text, description: 'Comes back with the answer; else one is made.' },
  },
} as const;

/** The meanings of the error answers of those that take recordings; the codes are in docs/api. */
export const RECORDING_ERRORS: Readonly<Record<number, string>> = {
  400: 'The form cannot be used.',
  401: 'A token is needed.',
  403: 'Pages of this origin, or this name of the server, are not allowed.',
  408: 'The body came too slowly; try again.',
  409: 'The Idempotency-Key was used for other content.',
  413: 'The file or the audio is too large.',
  415: 'No multipart form, or no audio that can be read.',
  422: 'The audio is damaged, or the language not known.',
  429: 'Too much of one client; come again after Retry-After.',
  500: 'The server failed.',
  502: "An engine's server refused, or answered nonsense.",
  503: 'Not now; come again after Retry-After.',
  504: "An engine's server did not answer in time.",
};

/** OpenAI's form, as far as it is looked at; the route reads and judges it itself. */
export const OPENAI_FORM_SCHEMA = {
  type: 'object',
  required: ['file'],
  properties: {
    file: FORM_SCHEMA.properties.audioFile,
    model: { ...text, description: 'Any: the language decides which engine writes.' },
    language: FORM_SCHEMA.properties.language,
    prompt: { ...text, description: 'Not used: the operator sets it (OPENAI_PROMPT).' },
    response_format: { type: 'string', enum: RESPONSE_FORMATS, default: 'json' },
    'timestamp_granularities[]': {
      type: 'array',
      items: { type: 'string', enum: ['word', 'segment'] },
      description: 'With verbose_json: words or segments only; both without it.',
    },
    temperature: { ...text, description: 'Not used.' },
    stream: { ...flag, default: 'false', description: 'The text as server-sent events.' },
    removePii: { ...flag, default: 'false' },
    fixSpelling: { ...flag, default: 'false' },
    fast: FORM_SCHEMA.properties.fast,
  },
} as const;

const usage = record({ type: { type: 'string', enum: ['duration'] }, seconds: count });

/** `response_format=json` and, with more in it, `verbose_json`. */
export const OPENAI_TRANSCRIPTION_SCHEMA = {
  type: 'object',
  required: ['text', 'usage'],
  properties: {
    text: TRANSCRIPTION_SCHEMA.properties.transcription,
    usage,
    task: { type: 'string', enum: ['transcribe'] },
    language: { ...text, description: "Its English name; '' when the engine does not tell." },
    duration: { type: 'number', minimum: 0, description: 'Seconds.' },
    segments: {
      type: 'array',
      description: 'One for all of it where the engine tells no times; none without words.',
      items: record({
        id: count,
        start: { type: 'number' },
        end: { type: 'number' },
        text,
      }),
    },
    words: {
      type: 'array',
      description:
        'Only where the engine tells the times of words, and unless only segments are asked for.',
      items: {
        type: 'object',
        required: ['word', 'start', 'end'],
        properties: {
          word: text,
          start: { type: 'number' },
          end: { type: 'number' },
          certainty: { type: 'number', minimum: 0, maximum: 1 },
        },
      },
    },
  },
} as const;

export const OPENAI_MODELS_SCHEMA = record({
  object: { type: 'string', enum: ['list'] },
  data: {
    type: 'array',
    items: record({
      id: text,
      object: { type: 'string', enum: ['model'] },
      created: count,
      owned_by: text,
    }),
  },
});

const OPENAI_ERROR_SCHEMA = record({
  error: record({
    message: { ...text, description: 'For a developer; never holds content.' },
    type: { type: 'string', enum: ['invalid_request_error', 'rate_limit_error', 'server_error'] },
    param: { type: 'null' },
    code: { ...text, description: 'One of the codes in docs/api.' },
  }),
});

/** The error answers of a route in OpenAI's form. */
export function openAiErrorAnswers(says: Readonly<Record<number, string>>) {
  return answersOf(says, OPENAI_ERROR_SCHEMA);
}

/** The error answers of a route by status, each with the same body. */
export function errorAnswers(says: Readonly<Record<number, string>>) {
  return answersOf(says, ERROR_SCHEMA);
}

function answersOf(says: Readonly<Record<number, string>>, schema: object) {
  return Object.fromEntries(
    Object.entries(says).map(([status, description]) => [
      status,
      { description, content: { 'application/json': { schema } } },
    ]),
  );
}

/** Where the API says what it is. */
export const OPENAPI_PATH = '/openapi.json';

/**
 * Describes the routes that are added after it by their own schemas. The schemas only describe:
 * bodies are judged by the routes, whose errors say more, and answers are sent as they are.
 */
export async function describeRoutes(app: FastifyInstance, needsToken: boolean): Promise<void> {
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  await app.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Diktera',
        version: SERVER_VERSION,
        description: 'Turns recorded speech into text.',
        license: { name: 'MIT' },
      },
      components: {
        securitySchemes: {
          token: { type: 'http', scheme: 'bearer' },
          cookie: { type: 'apiKey', in: 'cookie', name: 'diktera_token' },
        },
      },
    },
    // Only what says something of itself: pages and files are not the API.
    transform: ({ schema, url }) => {
      const isDescribed = schema !== undefined && 'response' in schema;
      return { schema: isDescribed ? schema : { hide: true }, url };
    },
    hideUntagged: false,
  });
  app.get(OPENAPI_PATH, async () => {
    const document = app.swagger();
    return needsToken ? document : withoutTokens(document);
  });
}

/** Where nobody needs a token, none is spoken of. */
function withoutTokens(document: object): object {
  return JSON.parse(
    JSON.stringify(document, (name, value: unknown) =>
      name === 'security' || name === 'securitySchemes' ? undefined : value,
    ),
  );
}

/** True if a value has the form of an answer; what comes from a store is not believed before. */
export const isTranscriptionAnswer = new Ajv({
  strictTypes: false,
}).compile<TranscriptionAnswer>(TRANSCRIPTION_SCHEMA);

/** About how much memory an answer takes: two bytes a character, and what is around them. */
export function answerBytes(answer: TranscriptionAnswer): number {
  return 2 * JSON.stringify(answer).length + 500;
}
