import type { FastifyRequest } from 'fastify';
import { DEFAULT_SESSION_OPTIONS } from '../../src/core/options/dictation-options.ts';
import { type FormFields, flag, readForm } from './read-form.ts';
import type { RecordingForm } from './take-recording.ts';

const FIELDS: FormFields = {
  file: 'audioFile',
  texts: ['removePii', 'fixSpelling', 'language', 'fast', 'preview'],
  // Longer than any language code or flag.
  maxTextBytes: 256,
  // A misspelt removePii must not pass in silence.
  unknown: 'refused',
};

/**
 * Reads the form of `POST /api/asr/vad`. Throws 400 for what is missing, doubled, unknown or none
 * of its values, 413 for a file over `maxUploadBytes`, 415 when it is no multipart form. Absent
 * flags have the page's defaults.
 */
export async function readTranscriptionForm(
  request: FastifyRequest,
  maxUploadBytes: number,
): Promise<RecordingForm> {
  const { file, texts } = await readForm(request, FIELDS, maxUploadBytes);
  return {
    file,
    removePii: flag(texts, 'removePii', DEFAULT_SESSION_OPTIONS.removePii),
    fixSpelling: flag(texts, 'fixSpelling', DEFAULT_SESSION_OPTIONS.fixSpelling),
    fast: flag(texts, 'fast', DEFAULT_SESSION_OPTIONS.fast),
    rank: flag(texts, 'preview', false) ? 'preview' : 'final',
    language: texts.get('language') ?? DEFAULT_SESSION_OPTIONS.language,
  };
}
