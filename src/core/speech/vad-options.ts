import { FRAME_SAMPLES } from '../audio/audio-format.ts';
import type { Logger } from '../logger.ts';

/** Options of the speech gate. */
export type VadOptions = {
  /** Speech starts at this probability, 0 to 1. */
  readonly positiveSpeechThreshold: number;
  /** A frame below this probability counts towards the end, 0 to `positiveSpeechThreshold`. */
  readonly negativeSpeechThreshold: number;
  /** The number of frames below the negative threshold that ends a segment; 0 counts as 1. */
  readonly redemptionFrames: number;
  /** Samples in a frame; the models here take 1536. */
  readonly frameSamples: number;
  /** A segment with fewer frames at or above the positive threshold is a misfire. */
  readonly minSpeechFrames: number;
  /** The number of frames before the onset that belong to the segment. */
  readonly preSpeechPadFrames: number;
};

/** The gate's defaults; the positive threshold and the padding are Silero's usual ones. */
export const DEFAULT_VAD_OPTIONS: VadOptions = {
  positiveSpeechThreshold: 0.5,
  negativeSpeechThreshold: 0.35,
  redemptionFrames: 8,
  frameSamples: FRAME_SAMPLES,
  minSpeechFrames: 3,
  preSpeechPadFrames: 1,
};

/** The preset for recording. */
export const RECORDING_VAD_OPTIONS: VadOptions = {
  ...DEFAULT_VAD_OPTIONS,
  positiveSpeechThreshold: 0.8,
  minSpeechFrames: 1,
  preSpeechPadFrames: 10,
};

/** Named presets: the one for recording, and the same with the default threshold. */
export const VAD_PRESETS = {
  recording: RECORDING_VAD_OPTIONS,
  sensitive: {
    ...RECORDING_VAD_OPTIONS,
    positiveSpeechThreshold: DEFAULT_VAD_OPTIONS.positiveSpeechThreshold,
  },
} as const satisfies Record<string, VadOptions>;

export type VadPreset = keyof typeof VAD_PRESETS;

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
