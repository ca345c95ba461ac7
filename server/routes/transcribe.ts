import type { FastifyInstance } from 'fastify';
import { refuseMethod } from '../http/error-answers.ts';
import {
  errorAnswers,
  FORM_SCHEMA,
  RECORDING_ERRORS,
  TRANSCRIPTION_HEADERS_SCHEMA,
  TRANSCRIPTION_SCHEMA,
} from './schemas.ts';
import type { TakeRecording } from './take-recording.ts';
import { readTranscriptionForm } from './transcription-form.ts';

/** Where speech is turned into text (docs/behaviour.md, The call). */
export const TRANSCRIBE_PATH = '/api/asr/vad';

/** `POST /api/asr/vad`. */
export function addTranscribeRoute(
  app: FastifyInstance,
  takeRecording: TakeRecording,
  maxUploadBytes: number,
): void {
  const schema = {
    summary: 'Turns one recording into text',
    consumes: ['multipart/form-data'],
    headers: TRANSCRIPTION_HEADERS_SCHEMA,
    body: FORM_SCHEMA,
    security: [{ token: [] }, { cookie: [] }],
    response: { 200: TRANSCRIPTION_SCHEMA, ...errorAnswers(RECORDING_ERRORS) },
  };
  app.options(TRANSCRIBE_PATH, refuseMethod('POST'));
  app.post(TRANSCRIBE_PATH, { schema }, async (request, reply) => {
    const { answer } = await takeRecording(request, reply, () =>
      readTranscriptionForm(request, maxUploadBytes),
    );
    return answer;
  });
}
