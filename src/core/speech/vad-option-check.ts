import { FRAME_SAMPLES } from '../audio/audio-format.ts';
import type { Logger } from '../logger.ts';
import type { VadOptions } from './vad-options.ts';

/** The frame sizes people use with Silero; any other is unusual (spec, section 5). */
const USUAL_FRAME_SAMPLES: readonly number[] = [512, 1_024, 1_536];

type NumberRule = {
  readonly name: Exclude<keyof VadOptions, 'frameSamples'>;
  readonly min: number;
  readonly max: number;
};

/**
 * Completes and checks options of the speech gate (spec, section 5). What is not given is taken
 * from `base`. What is bad is logged as an error, with the value and the allowed range, and
 * replaced by `base`'s value; NaN and what is not a number are bad, too. Should `base`'s negative
 * threshold lie above the positive one asked for, the positive one takes its place.
 *
 * Frames hold `FRAME_SAMPLES` samples here whatever `frameSamples` says: that is what the capture
 * worklet cuts and the models take. Another size is logged as a warning and the result says 1536.
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
