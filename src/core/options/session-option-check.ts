import type { Logger } from '../logger.ts';
import { checkVadOptions } from '../speech/vad-option-check.ts';
import {
  DEFAULT_SESSION_OPTIONS,
  type InsertTime,
  type SessionOptions,
} from './dictation-options.ts';

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
    live: given.live === 'auto' ? 'auto' : checkSwitch('live', given.live, log),
    livePreview: checkSwitch('livePreview', given.livePreview, log),
    insert: checkInsert(given.insert, log),
    maxAudioDurationMs: checkMaxDuration(given.maxAudioDurationMs, log),
    vad: checkVadOptions(given.vad, DEFAULT_SESSION_OPTIONS.vad, log),
  };
}

function checkChunkMs(value: number, log: Logger): number {
  if (value >= MIN_CHUNK_MS && value <= MAX_CHUNK_MS) return value;
  log.error(`chunkMs is ${value}, must be ${MIN_CHUNK_MS} to ${MAX_CHUNK_MS}`);
  return DEFAULT_SESSION_OPTIONS.chunkMs;
}

function checkSwitch<Name extends 'live' | 'livePreview'>(
  name: Name,
  value: boolean,
  log: Logger,
): SessionOptions[Name] {
  if (typeof value === 'boolean') return value;
  log.error(`${name} is ${value}, must be true or false`);
  return DEFAULT_SESSION_OPTIONS[name];
}

function checkInsert(value: InsertTime, log: Logger): InsertTime {
  if (value === 'at-stop' || value === 'at-pause') return value;
  log.error(`insert is ${value}, must be 'at-stop' or 'at-pause'`);
  return DEFAULT_SESSION_OPTIONS.insert;
}

function checkMaxDuration(value: number | null, log: Logger): number | null {
  if (value === null || value > 0) return value;
  log.error(`maxAudioDurationMs is ${value}, must be above 0, or null for no limit`);
  return DEFAULT_SESSION_OPTIONS.maxAudioDurationMs;
}
