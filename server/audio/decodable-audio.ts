import { ApiError } from '../core/api-error.ts';

/** What can be decoded here, as the health answer lists it. */
export const DECODABLE_AUDIO_TYPES = [
  'audio/webm;codecs=opus',
  'audio/mp4;codecs=opus',
  'audio/ogg;codecs=opus',
  'audio/wav',
] as const;

/** A file laid out so that all that is in it is found. */
export type MendedFile = {
  readonly file: Uint8Array;
  /** False when a part is missing or cannot be read: cut off, or damaged. */
  readonly isWhole: boolean;
};

/** Says that a file is none of these; `what` is a sentence about what it is. */
export function unsupportedAudio(what: string): ApiError {
  const wanted = 'Send webm, mp4 or ogg with Opus, or wav.';
  return new ApiError(415, 'audio_unsupported', `${what} ${wanted}`);
}

/** Says that a file cannot be read; `cause` is for the log. */
export function corruptedAudio(cause?: unknown): ApiError {
  const message = 'The audio file is damaged or holds no audio track.';
  return new ApiError(422, 'audio_corrupted', message, { cause });
}
