import type { FastifyRequest } from 'fastify';
import { DEFAULT_SESSION_OPTIONS } from '../../src/core/options/dictation-options.ts';
import { ApiError } from '../core/api-error.ts';
import { type FormFields, flag, readForm } from './read-form.ts';
import type { RecordingForm } from './take-recording.ts';

/** How `POST /v1/audio/transcriptions` can answer. */
export const RESPONSE_FORMATS = ['json', 'text', 'verbose_json'] as const;

/** One of them. */
export type ResponseFormat = (typeof RESPONSE_FORMATS)[number];

/** What a program asks for in OpenAI's form. */
export type OpenAiForm = RecordingForm & {
  readonly responseFormat: ResponseFormat;
  /** As server-sent events. */
  readonly isStream: boolean;
};

const FIELDS: FormFields = {
  file: 'file',
  texts: ['language', 'response_format', 'stream', 'removePii', 'fixSpelling', 'fast'],
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
export async function readOpenAiForm(
  request: FastifyRequest,
  maxUploadBytes: number,
): Promise<OpenAiForm> {
  const { file, texts: given } = await readForm(request, FIELDS, maxUploadBytes);
  const texts = new Map([...given].flatMap(([name, text]) => written(name, text)));
  const responseFormat = readFormat(texts.get('response_format') ?? 'json');
  const isStream = flag(texts, 'stream', false);
  if (isStream && responseFormat === 'verbose_json') {
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
  // srt and vtt need the time of each line, which no engine here tells.
  const message = `response_format must be one of ${RESPONSE_FORMATS.join(', ')}.`;
  throw new ApiError(400, 'field_invalid', message);
}
