import { tone, waveFile } from '../helpers/wave-file.ts';

const RATE_HZ = 16_000;
const FIRST_SAMPLES = RATE_HZ / 2;
const STEP_SAMPLES = RATE_HZ / 100;

/** A recording whose length is its number, so that a speech server can tell many apart. */
export function numberedSpeech(index: number): Uint8Array {
  const seconds = (FIRST_SAMPLES + index * STEP_SAMPLES) / RATE_HZ;
  return waveFile(RATE_HZ, tone(440, RATE_HZ, seconds));
}

/** The number of one of so many samples. */
export const numberOf = (samples: number): number =>
  Math.round((samples - FIRST_SAMPLES) / STEP_SAMPLES);
