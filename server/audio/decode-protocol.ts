import { samplesToMs } from '../../src/core/audio/audio-format.ts';
import type { ApiErrorCode } from '../core/api-error.ts';

/**
 * Before the first sample. A container is read in a few ms; what takes this long goes in circles.
 */
const FIRST_CPU_MS = 1_000;

/** Thirty times what speech takes here: slow machines and eight channels are within it. */
const CPU_MS_PER_AUDIO_S = 50;

/** Uncompressed audio at a high rate has many bytes and few seconds. */
const CPU_MS_PER_MIB = 25;

/** A process that shares its cores with many others still gets this part of one. */
const LEAST_SHARE_OF_CORE = 1 / 10;

const MIB = 1024 * 1024;

/**
 * The processor time a file may have used when `samples` of it are decoded, in ms. 90 s of WebM get
 * 5.9 s.
 */
export function cpuBudgetMs(fileBytes: number, samples: number): number {
  const audioS = samplesToMs(samples) / 1_000;
  return FIRST_CPU_MS + CPU_MS_PER_AUDIO_S * audioS + CPU_MS_PER_MIB * (fileBytes / MIB);
}

/** The same by the clock, for a file that waits for something that never comes. */
export function wallBudgetMs(fileBytes: number, samples: number): number {
  return cpuBudgetMs(fileBytes, samples) / LEAST_SHARE_OF_CORE;
}

/** A request to the decoding process; one at a time. */
export type DecodeRequest = {
  readonly file: Uint8Array;
  readonly maxAudioMs: number;
};

/** The cost of a file. */
type Cost = {
  /** Processor time, in ms. */
  readonly cpuMs: number;
  /** True if the process lost its priority over it, which it cannot get back. */
  readonly isSlowed: boolean;
};

/**
 * Its messages: `ready` once, when it can be asked. Then for each request `begun`, any `part`s, and
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

/** The signal by which a process ends itself over a file; SIGKILL is left to the system. */
export const OVER_BUDGET_SIGNAL = 'SIGXCPU';
export const OVER_MEMORY_SIGNAL = 'SIGXFSZ';
