import type { SampleRange } from '../../src/core/audio/audio-format.ts';
import { framePowers, POWER_FRAME_SAMPLES } from './frame-power.ts';

/** Kept before and after the loud part: a soft first consonant is shorter than this. */
const MARGIN_FRAMES = 5;

/** The measure is the level reached for 200 ms in all: a click or two is shorter. */
const LOUD_FRAMES = 10;

/**
 * How far below the loud frames a frame still counts as speech, in dB, mildest
 * first. Soft consonants lie some 20 to 30 dB below vowels; a noisy room leaves only the last step.
 */
const STEPS_DB = [30, 22, 14] as const;

/**
 * Where in `samples` the speech lies: from generous to narrow, none twice, none for pure zeros.
 *
 * Moonshine tiny answers nothing at all for many utterances that begin with more than half a second
 * of quiet (measured: most of the synthetic and human clips tried with 1 s in front), and
 * recordings do begin so: the page keeps about a second of run-up. So the quiet is cut off, and
 * when the text is empty nevertheless the next, narrower window is tried.
 */
export function speechWindows(samples: Float32Array): SampleRange[] {
  const powers = framePowers(samples);
  const byPower = powers.toSorted();
  const loudPower = byPower.at(-LOUD_FRAMES) || byPower.at(-1) || 0;
  if (loudPower === 0) return [];

  const windows: SampleRange[] = [];
  for (const stepDb of STEPS_DB) {
    const thresholdPower = loudPower / 10 ** (stepDb / 10);
    const isLoud = (power: number) => power >= thresholdPower;
    const first = powers.findIndex(isLoud) - MARGIN_FRAMES;
    const last = powers.findLastIndex(isLoud) + 1 + MARGIN_FRAMES;
    const window = {
      startSample: Math.max(0, first * POWER_FRAME_SAMPLES),
      endSample: Math.min(samples.length, last * POWER_FRAME_SAMPLES),
    };
    const before = windows.at(-1);
    const isSame =
      before?.startSample === window.startSample && before.endSample === window.endSample;
    if (!isSame) windows.push(window);
  }
  return windows;
}
