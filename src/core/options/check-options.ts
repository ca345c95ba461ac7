import { FRAME_SAMPLES } from '../audio/audio-format.ts';
import type { Logger } from '../logger.ts';
import type { VadOptions } from '../speech/vad-options.ts';
import {
  DEFAULT_SESSION_OPTIONS,
  type InsertTime,
  SESSION_OPTION_NAMES,
  type SessionOptions,
} from './dictation-options.ts';

// By itself: the page does not need it before there is something to complain of.

const MIN_CHUNK_MS = 1_000;
const MAX_CHUNK_MS = 90_000;

/**
 * Checked options: a bad value is logged, with its range, and replaced by its default; and an option
 * that is none is logged.
 */
export function checkSessionOptions(given: SessionOptions, log: Logger): SessionOptions {
  const names: readonly string[] = SESSION_OPTION_NAMES;
  for (const name of Object.keys(given)) {
    if (!names.includes(name)) log.error(`${name} is no option; there are ${names.join(', ')}`);
  }
  return {
    ...given,
    language: checkLanguage(given.language, log),
    chunkMs: checkChunkMs(given.chunkMs, log),
    live: given.live === 'auto' ? 'auto' : checkSwitch('live', given.live, log),
    livePreview: checkSwitch('livePreview', given.livePreview, log),
    insert: checkInsert(given.insert, log),
    maxAudioDurationMs: checkMaxDuration(given.maxAudioDurationMs, log),
    vad: checkVadOptions(given.vad, DEFAULT_SESSION_OPTIONS.vad, log),
  };
}

function checkLanguage(value: unknown, log: Logger): string {
  if (typeof value === 'string') return value;
  log.error(`language is ${describe(value)}, must be a string`);
  return DEFAULT_SESSION_OPTIONS.language;
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

/** The frame sizes people use with Silero; any other is unusual. */
const USUAL_FRAME_SAMPLES: readonly number[] = [512, 1_024, 1_536];

type NumberRule = {
  readonly name: Exclude<keyof VadOptions, 'frameSamples'>;
  readonly min: number;
  readonly max: number;
};

/**
 * Completes and checks options of the speech gate. A missing value is taken from `base`. A bad one,
 * or one that is no number, is logged as an error, with the allowed range, and replaced by `base`'s.
 * Should `base`'s negative threshold lie above the positive one asked for, the positive one takes
 * its place.
 *
 * Frames always hold `FRAME_SAMPLES` samples, as the capture worklet cuts them and the model takes
 * them. Another `frameSamples` is logged as a warning, and the result says 1536.
 *
 * Frame counts may be fractions; the gate rounds them down.
 */
export function checkVadOptions(
  options: Partial<VadOptions>,
  base: VadOptions,
  log: Logger,
): VadOptions {
  const check = (rule: NumberRule) => checkNumber(rule, options[rule.name], base[rule.name], log);
  const count = { min: 0, max: Number.MAX_SAFE_INTEGER };
  const positiveSpeechThreshold = check({ name: 'positiveSpeechThreshold', min: 0, max: 1 });
  warnOfFrameSize(options.frameSamples, log);
  return {
    positiveSpeechThreshold,
    negativeSpeechThreshold: check({
      name: 'negativeSpeechThreshold',
      min: 0,
      max: positiveSpeechThreshold,
    }),
    redemptionFrames: check({ name: 'redemptionFrames', ...count }),
    frameSamples: FRAME_SAMPLES,
    minSpeechFrames: check({ name: 'minSpeechFrames', ...count }),
    preSpeechPadFrames: check({ name: 'preSpeechPadFrames', ...count }),
  };
}

function checkNumber(rule: NumberRule, given: unknown, base: number, log: Logger): number {
  const value = given === undefined ? base : given;
  if (isWithin(value, rule)) return value;
  const replacement = isWithin(base, rule) ? base : rule.max;
  const range =
    rule.max === Number.MAX_SAFE_INTEGER
      ? `a finite number, ${rule.min} or more`
      : `a number from ${rule.min} to ${rule.max}`;
  log.error(`${rule.name} should be ${range}, not ${describe(value)}; using ${replacement}`);
  return replacement;
}

function isWithin(value: unknown, { min, max }: NumberRule): value is number {
  return typeof value === 'number' && value >= min && value <= max;
}

function warnOfFrameSize(given: unknown, log: Logger): void {
  if (given === undefined || given === FRAME_SAMPLES) return;
  const isUsual = typeof given === 'number' && USUAL_FRAME_SAMPLES.includes(given);
  const what = isUsual
    ? `frameSamples ${given} is not used here`
    : `frameSamples ${describe(given)} is unusual (usual are ${USUAL_FRAME_SAMPLES.join(', ')})`;
  log.warn(`${what}; frames hold ${FRAME_SAMPLES} samples`);
}

/** A value as a developer wrote it, without running any of its code. */
function describe(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return JSON.stringify(value);
  return value === null ? 'null' : typeof value;
}
