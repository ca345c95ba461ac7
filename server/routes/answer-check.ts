import { Ajv } from 'ajv';
import type { TranscriptionAnswer } from '../transcription/transcription.ts';
import { TRANSCRIPTION_SCHEMA } from './schemas.ts';

/** Whether a value has the form of an answer; what comes from a store is not believed before. */
export const isTranscriptionAnswer = new Ajv({
  strictTypes: false,
}).compile<TranscriptionAnswer>(TRANSCRIPTION_SCHEMA);

/** About how much memory an answer takes: two bytes a character, and what is around them. */
export function answerBytes(answer: TranscriptionAnswer): number {
  return 2 * JSON.stringify(answer).length + 500;
}
