import type { ApiErrorCode } from '../api-error.ts';
import type { SpeechAudio } from './speech-audio.ts';

/** What the decoding worker is asked; one at a time. */
export type DecodeRequest = {
  readonly file: Uint8Array;
  readonly maxAudioMs: number;
};

/** What it says: `ready` once, when it can be asked, then an answer to each request. */
export type DecodeReply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'decoded'; readonly audio: SpeechAudio }
  /** An ApiError's parts. */
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly code: ApiErrorCode;
      readonly message: string;
    }
  /** Something nobody expected. */
  | { readonly kind: 'failed'; readonly message: string };
