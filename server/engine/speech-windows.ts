import { msToSamples } from '../../src/core/audio-format.ts';
import type { SampleRange } from '../../src/core/sample-range.ts';

const FRAME_SAMPLES = msToSamples(20);

/** Kept before and after the loud part: a soft first consonant is shorter than this. */
const MARGIN_FRAMES = 5;

/**
 * How far below the loud frames (the 95th percentile) a frame still counts as speech, in dB, mildest
 * first. Soft consonants lie some 20 to 30 dB below vowels; a noisy room leaves only the last step.
 */
const STEPS_DB = [30, 22, 14] as const;

/**
 * Where in `samples` the speech lies: from generous to narrow, none twice, none for pure zeros.
 *
 * Moonshine tiny answers nothing at all for many utterances that begin with more than half a second of
 * quiet (measured: most of the synthetic and human clips tried with 1 s in front), and recordings do
 * begin so: the page keeps about a second of run-up. So the quiet is cut off, and when the text is
 * empty nevertheless the next, narrower window is tried.
 */
export function speechWindows(samples: Float32Array): SampleRange[] {
  const levels = frameLevelsDb(samples);
  const loudDb = [...levels].sort((a, b) => a - b)[Math.floor(levels.length * 0.95)];
  if (loudDb === undefined || samples.every((sample) => sample === 0)) return [];

  const windows: SampleRange[] = [];
  for (const stepDb of STEPS_DB) {
    const isLoud = (level: number) => level >= loudDb - stepDb;
    const first = levels.findIndex(isLoud) - MARGIN_FRAMES;
    const last = levels.findLastIndex(isLoud) + 1 + MARGIN_FRAMES;
    const window = {
      startSample: Math.max(0, first * FRAME_SAMPLES),
      endSample: Math.min(samples.length, last * FRAME_SAMPLES),
    };
    const before = windows.at(-1);
    if (before?.startSample === window.startSample && before.endSample === window.endSample)
      continue;
    windows.push(window);
  }
  return windows;
}

/** The mean power of each 20 ms, in dB to full scale; the last frame may be shorter. */
function frameLevelsDb(samples: Float32Array): number[] {
  const levels: number[] = [];
  for (let start = 0; start < samples.length; start += FRAME_SAMPLES) {
    const frame = samples.subarray(start, start + FRAME_SAMPLES);
    let power = 0;
    for (const sample of frame) power += sample ** 2;
    levels.push(10 * Math.log10(power / frame.length + 1e-12));
  }
  return levels;
}
