import { FRAME_SAMPLES, SAMPLE_RATE_HZ } from '../../src/core/audio-format.ts';

/** How many frames the whole clip holds: two of faint noise, then a voice. */
export const TEST_CLIP_FRAMES = 10;

const LEAD_SAMPLES = 2 * FRAME_SAMPLES;
const SYLLABLE_SAMPLES = 0.16 * SAMPLE_RATE_HZ;
const PITCH_HZ = 240;
const PITCH_SWING = 0.15;
const PITCH_SWING_HZ = 1.1;
/** The glottis is open this part of each period. */
const OPEN_PART = 0.6;
/** The formants move in steps of 4 ms. */
const GLIDE_STEP_SAMPLES = 64;
const NOISE = 0.0005;
const VOICE = 0.5;

/** The first four formants of a, i, e, o, u in Hz, after Peterson and Barney (1952). */
const VOWELS_HZ: readonly (readonly number[])[] = [
  [730, 1_090, 2_440, 3_400],
  [270, 2_290, 3_010, 3_500],
  [530, 1_840, 2_480, 3_500],
  [570, 840, 2_410, 3_300],
  [300, 870, 2_240, 3_300],
];
const BANDWIDTHS_HZ: readonly number[] = [80, 90, 150, 200];

/**
 * The first frames of a second of synthetic speech, the same every time: 16 kHz mono. A train
 * of glottal pulses goes through four formant resonators that glide from vowel to vowel (Klatt's
 * cascade synthesiser, 1980, at its simplest). Made here so that the self-test needs no download.
 *
 * The pitch is high on purpose: Silero is sure of the voice, yet not so sure that a wrong context or
 * other weights would go unseen.
 */
export function createTestClip(frames: number = TEST_CLIP_FRAMES): Float32Array {
  const clip = new Float32Array(frames * FRAME_SAMPLES);
  const noise = createNoise(12_345);
  for (let n = 0; n < clip.length; n++) clip[n] = noise() * NOISE;

  const voice = createGlottalPulses(clip.length - LEAD_SAMPLES);
  BANDWIDTHS_HZ.forEach((bandwidthHz, formant) => {
    resonate(voice, bandwidthHz, (n) => formantHz(formant, n / SYLLABLE_SAMPLES));
  });
  for (let n = 0; n < voice.length; n++) {
    const heard = clip[LEAD_SAMPLES + n] ?? 0;
    clip[LEAD_SAMPLES + n] = heard + (voice[n] ?? 0);
  }
  return clip;
}

/** The derivative of the air flow through the glottis, louder and softer with each syllable. */
function createGlottalPulses(lengthSamples: number): Float64Array {
  const pulses = new Float64Array(lengthSamples);
  let phase = 0;
  let flowBefore = 0;
  for (let n = 0; n < lengthSamples; n++) {
    const swing = Math.sin((2 * Math.PI * PITCH_SWING_HZ * n) / SAMPLE_RATE_HZ);
    phase = (phase + (PITCH_HZ * (1 + PITCH_SWING * swing)) / SAMPLE_RATE_HZ) % 1;
    const flow = phase < OPEN_PART ? 0.5 - 0.5 * Math.cos((2 * Math.PI * phase) / OPEN_PART) : 0;
    const loudness = Math.sqrt(Math.sin(Math.PI * ((n / SYLLABLE_SAMPLES) % 1)));
    pulses[n] = (flow - flowBefore) * loudness * VOICE;
    flowBefore = flow;
  }
  return pulses;
}

/** Filters in place with a second-order resonator of unit gain at 0 Hz and a moving frequency. */
function resonate(
  signal: Float64Array,
  bandwidthHz: number,
  frequencyHz: (n: number) => number,
): void {
  const radius = Math.exp((-Math.PI * bandwidthHz) / SAMPLE_RATE_HZ);
  const d = -radius * radius;
  let c = 0;
  let before = 0;
  let beforeThat = 0;
  for (let n = 0; n < signal.length; n++) {
    if (n % GLIDE_STEP_SAMPLES === 0) {
      c = 2 * radius * Math.cos((2 * Math.PI * frequencyHz(n)) / SAMPLE_RATE_HZ);
    }
    const output = (1 - c - d) * (signal[n] ?? 0) + c * before + d * beforeThat;
    beforeThat = before;
    before = output;
    signal[n] = output;
  }
}

/** A formant's frequency at a position counted in syllables: each vowel glides into the next. */
function formantHz(formant: number, position: number): number {
  const syllable = Math.floor(position);
  const from = VOWELS_HZ[syllable % VOWELS_HZ.length]?.[formant] ?? 0;
  const to = VOWELS_HZ[(syllable + 1) % VOWELS_HZ.length]?.[formant] ?? 0;
  return from + (to - from) * (position - syllable);
}

/** White noise in -0.5..0.5 from a linear congruential generator (Numerical Recipes' constants). */
function createNoise(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
}
