import { samplesToMs } from '../../src/core/audio/audio-format.ts';
import { framePowers, POWER_FRAME_SAMPLES } from './frame-power.ts';

/**
 * -72 dB of full scale: ten times the noise of 16 bits, and 30 dB below whispering into a bad
 * microphone.
 */
const LEAST_POWER = 10 ** (-72 / 10);

/** Shorter than any word: 60 ms in all. */
const LEAST_FRAMES = 3;

/** Whether anything is to be heard in `samples`: a piece without has no words, and needs no model. */
export function hasSound(samples: Float32Array): boolean {
  const powers = framePowers(samples);
  const loudFrames = powers.filter((power) => power >= LEAST_POWER).length;
  return loudFrames > 0 && loudFrames >= Math.min(LEAST_FRAMES, powers.length);
}

/** A tenth of the frames is as quiet as this, or quieter: what is there when nobody speaks. */
const BACKGROUND_SHARE = 0.1;

/** 6 dB: voices move by more, from vowel to pause, also 5 dB over noise; hiss and hum do not. */
const OUTSTANDING_RATIO = 4;

/** How long something is to be heard in `samples` that stands out of the background, in ms. */
export function outstandingMs(samples: Float32Array): number {
  const powers = framePowers(samples);
  const background = powers.toSorted()[Math.floor(BACKGROUND_SHARE * powers.length)] ?? 0;
  const least = Math.max(LEAST_POWER, OUTSTANDING_RATIO * background);
  return powers.filter((power) => power >= least).length * samplesToMs(POWER_FRAME_SAMPLES);
}
