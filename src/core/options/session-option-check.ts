import type { Logger } from '../logger.ts';
import { checkVadOptions } from '../speech/vad-option-check.ts';
import { DEFAULT_SESSION_OPTIONS, type SessionOptions } from './dictation-options.ts';

const MIN_CHUNK_MS = 1_000;
const MAX_CHUNK_MS = 90_000;

/**
 * Options as a session may use them: what is bad is logged, with its range, and replaced by its
 * default.
 */
export function checkSessionOptions(given: SessionOptions, log: Logger): SessionOptions {
  return {
    ...given,
    chunkMs: checkChunkMs(given.chunkMs, log),
    maxAudioDurationMs: checkMaxDuration(given.maxAudioDurationMs, log),
    vad: checkVadOptions(given.vad, DEFAULT_SESSION_OPTIONS.vad, log),
  };
}

function checkChunkMs(value: number, log: Logger): number {
  if (value >= MIN_CHUNK_MS && value <= MAX_CHUNK_MS) return value;
  log.error(`chunkMs is ${value}, must be ${MIN_CHUNK_MS} to ${MAX_CHUNK_MS}`);
  return DEFAULT_SESSION_OPTIONS.chunkMs;
}

function checkMaxDuration(value: number | null, log: Logger): number | null {
  if (value === null || value > 0) return value;
  log.error(`maxAudioDurationMs is ${value}, must be above 0, or null for no limit`);
  return DEFAULT_SESSION_OPTIONS.maxAudioDurationMs;
}
