import { framePowers } from './frame-power.ts';

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
