import type { ApiErrorCode } from '../core/api-error.ts';

/** What the decoding process is asked; one at a time. */
export type DecodeRequest = {
  readonly file: Uint8Array;
  readonly maxAudioMs: number;
};

/** What a file took. */
type Cost = {
  /** Processor time, in ms. */
  readonly cpuMs: number;
  /** Whether the process lost its priority over it, which it cannot get back. */
  readonly isSlowed: boolean;
};

/**
 * What it says: `ready` once, when it can be asked. Then for each request `begun`, any `part`s, and
 * one of the others.
 */
export type DecodeReply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'begun' }
  /** The next samples. */
  | { readonly kind: 'part'; readonly samples: Float32Array }
  /** That was all. */
  | { readonly kind: 'decoded'; readonly complete: boolean; readonly cost: Cost }
  /** An ApiError's parts. */
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly code: ApiErrorCode;
      readonly message: string;
      readonly cost: Cost;
    }
  /** Something nobody expected. */
  | { readonly kind: 'failed'; readonly message: string; readonly cost: Cost };

/** How a process ends itself over a file; SIGKILL is left to the system. */
export const OVER_BUDGET_SIGNAL = 'SIGXCPU';
export const OVER_MEMORY_SIGNAL = 'SIGXFSZ';
