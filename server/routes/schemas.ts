import { DEFAULT_SESSION_OPTIONS } from '../../src/core/options/dictation-options.ts';

/**
 * What the API's bodies look like, as JSON Schema: for `/openapi.json`, its test, and stored
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

export const TRANSCRIPTION_SCHEMA = record({
  transcription: { ...text, description: "The words; '' when nobody speaks." },
  language: { ...text, description: "Asked for or found out; '' when the engine does not tell." },
  durationMs: { ...count, description: 'Length of the audio that was read.' },
  complete: {
    type: 'boolean',
    description: 'False when a part of the file could not be read: keep the audio.',
  },
  engine: text,
  model: text,
  textRules: record({ removePii: ruleOutcome, fixSpelling: ruleOutcome }),
});

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
  share: { type: 'number', description: 'How much of the way is done, 0 to 1.' },
  downloadBytes: count,
  diskBytes: count,
  memoryBytes: count,
  licence: text,
  attribution: text,
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
  textRules: record({ removePii: ruleState, fixSpelling: ruleState }),
  queue: record({ running: count, waiting: count, concurrency: count, maxWaiting: count }),
});

export const HEALTH_SCHEMA = {
  ...health,
  properties: { ...health.properties, models: { type: 'array', items: MODEL_SCHEMA } },
} as const;

const errorBody = record({
  code: { ...text, description: 'One of the codes in docs/api.' },
  message: { ...text, description: 'For a developer; never holds content.' },
});

export const ERROR_SCHEMA = record({
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
      description: 'WebM, MP4 or Ogg with Opus, or WAV; with a file name.',
    },
    removePii: { ...flag, default: String(DEFAULT_SESSION_OPTIONS.removePii) },
    fixSpelling: { ...flag, default: String(DEFAULT_SESSION_OPTIONS.fixSpelling) },
    fast: { ...flag, default: String(DEFAULT_SESSION_OPTIONS.fast) },
    language: {
      ...text,
      default: '',
      description: "A language code such as 'sv'; '' is the server's default.",
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

/** The error answers of a route by status, each with the same body. */
export function errorAnswers(says: Readonly<Record<number, string>>) {
  return Object.fromEntries(
    Object.entries(says).map(([status, description]) => [
      status,
      { description, content: { 'application/json': { schema: ERROR_SCHEMA } } },
    ]),
  );
}
