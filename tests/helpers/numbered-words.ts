import { SAMPLE_RATE_HZ } from '../../src/core/audio/audio-format.ts';
import { makeSamples } from './make-samples.ts';

/** Two tones tell a word's number: as in a telephone's keys, and as deaf to what the codec does. */
const LOW_TONES = { count: 25, firstHz: 4_000, stepHz: 60 } as const;
const HIGH_TONES = { count: 45, firstHz: 5_600, stepHz: 40 } as const;
const TONE_AMPLITUDE = 0.06;

/** The number of different words. */
export const MAX_WORDS = LOW_TONES.count * HIGH_TONES.count;

/** A word lasts so long unless said otherwise; the tones stand in its middle. */
export const WORD_SAMPLES = 0.4 * SAMPLE_RATE_HZ;
const TONE_SAMPLES = 0.16 * SAMPLE_RATE_HZ;

const WINDOW_SAMPLES = 0.08 * SAMPLE_RATE_HZ;
const HOP_SAMPLES = WINDOW_SAMPLES / 2;
/** Reckoned once: a window is heard at seventy frequencies. */
const HANN = Float64Array.from(
  { length: WINDOW_SAMPLES },
  (_, index) => 0.5 - 0.5 * Math.cos((2 * Math.PI * index) / WINDOW_SAMPLES),
);
/**
 * The best tone of a band stands out from the next best, which is not its neighbour, by so much.
 */
const MIN_CONTRAST = 6;
const MIN_POWER = (0.15 * TONE_AMPLITUDE) ** 2;

/** Word `number` over real speech, so that a speech detector takes it for what it is. */
export function numberedWord(
  number: number,
  speech: Float32Array,
  lengthSamples = WORD_SAMPLES,
): Float32Array {
  const first = (number * lengthSamples) % speech.length;
  const word = makeSamples(lengthSamples, (index) => speech[(first + index) % speech.length] ?? 0);
  const toneStart = Math.round((lengthSamples - TONE_SAMPLES) / 2);
  const lowHz = LOW_TONES.firstHz + (number % LOW_TONES.count) * LOW_TONES.stepHz;
  const highHz = HIGH_TONES.firstHz + Math.floor(number / LOW_TONES.count) * HIGH_TONES.stepHz;
  for (let index = 0; index < TONE_SAMPLES; index += 1) {
    const seconds = index / SAMPLE_RATE_HZ;
    const tone = Math.sin(2 * Math.PI * lowHz * seconds) + Math.sin(2 * Math.PI * highHz * seconds);
    word[toneStart + index] = (word[toneStart + index] ?? 0) + TONE_AMPLITUDE * tone;
  }
  return word;
}

/** The numbers of the words heard in a recording, in their order. */
export function hearNumbers(samples: Float32Array): number[] {
  const numbers: number[] = [];
  let running: number | null = null;
  let runLength = 0;
  for (let start = 0; start + WINDOW_SAMPLES <= samples.length; start += HOP_SAMPLES) {
    const number = hearWindow(samples.subarray(start, start + WINDOW_SAMPLES));
    runLength = number === running ? runLength + 1 : 1;
    running = number;
    if (number !== null && runLength === 2 && numbers.at(-1) !== number) numbers.push(number);
  }
  return numbers;
}

/** Of every window in turn: a fresh one for each took longer to make and collect than to hear. */
const window = new Float64Array(WINDOW_SAMPLES);

function hearWindow(samples: Float32Array): number | null {
  for (let index = 0; index < WINDOW_SAMPLES; index += 1) {
    window[index] = (samples[index] ?? 0) * (HANN[index] ?? 0);
  }
  const low = loudestTone(LOW_TONES);
  const high = low === null ? null : loudestTone(HIGH_TONES);
  return low === null || high === null ? null : high * LOW_TONES.count + low;
}

function loudestTone(band: typeof LOW_TONES | typeof HIGH_TONES): number | null {
  const powers = Array.from({ length: band.count }, (_, index) =>
    tonePower(band.firstHz + index * band.stepHz),
  );
  const best = powers.indexOf(Math.max(...powers));
  const rest = powers.filter((_, index) => Math.abs(index - best) > 1);
  const power = powers[best] ?? 0;
  return power > MIN_POWER && power > MIN_CONTRAST * Math.max(...rest) ? best : null;
}

/** Goertzel's algorithm on the window, which is a Hann one; a sine of amplitude A gives A squared. */
function tonePower(frequencyHz: number): number {
  const coefficient = 2 * Math.cos((2 * Math.PI * frequencyHz) / SAMPLE_RATE_HZ);
  let before = 0;
  let last = 0;
  for (let index = 0; index < window.length; index += 1) {
    const now = (window[index] ?? 0) + coefficient * last - before;
    before = last;
    last = now;
  }
  const power = last * last + before * before - coefficient * last * before;
  return (power * 4) / (window.length / 2) ** 2;
}
