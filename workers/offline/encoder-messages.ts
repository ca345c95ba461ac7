import type { ErrorInfo } from '../../src/core/errors.ts';
import type { SpeechModel } from '../../src/core/speech-engine.ts';
import type { Slice } from './encode-slice.ts';

/**
 * What an encoder's worker is told, and what it answers: one answer to each order, in order. Plain messages, so
 * that little is added to the half millisecond of work that a slice is.
 */
export type EncoderOrder =
  | { readonly kind: 'start'; readonly model: SpeechModel; readonly module: WebAssembly.Module }
  | { readonly kind: 'encode'; readonly slice: Slice };

export type EncoderAnswer =
  | { readonly kind: 'started' }
  | { readonly kind: 'encoded'; readonly features: Float32Array<ArrayBuffer> }
  | { readonly kind: 'failed'; readonly error: ErrorInfo };
