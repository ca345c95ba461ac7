import { FRAME_SAMPLES, SAMPLE_RATE_HZ } from '../../src/core/audio/audio-format.ts';

/** How many frames the whole clip holds: one of faint noise, then a voice. */
export const TEST_CLIP_FRAMES = 10;

const LEAD_SAMPLES = FRAME_SAMPLES;
const SYLLABLE_SAMPLES = 0.16 * SAMPLE_RATE_HZ;
const PITCH_HZ = 240;
const PITCH_SWING = 0.15;
const PITCH_SWING_HZ = 1.1;
/** The glottis is open this part of each period. */
const OPEN_PART = 0.6;
/** Pitch, loudness and formants move in steps of 4 ms. */
const STEP_SAMPLES = 64;
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

// Each formant's bandwidth as the radius of its poles and, from that, the older output's weight.
const [R1, R2, R3, R4] = [poleRadius(80), poleRadius(90), poleRadius(150), poleRadius(200)];
const [D1, D2, D3, D4] = [-R1 * R1, -R2 * R2, -R3 * R3, -R4 * R4];

/**
 * The first frames of a second of synthetic speech, the same every time: 16 kHz mono. A train
 * of glottal pulses goes through four formant resonators that glide from vowel to vowel (Klatt's
 * cascade synthesiser, 1980, at its simplest). Made here so that the self-test needs no download.
 *
 * The pitch is high on purpose: Silero is sure of the voice, yet not so sure that a wrong context
 * or other weights would go unseen.
 */
export function createTestClip(frames: number = TEST_CLIP_FRAMES): Float32Array {
  const clip = new Float32Array(frames * FRAME_SAMPLES);
  fillWithNoise(clip.subarray(0, LEAD_SAMPLES));
  fillWithVoice(clip.subarray(LEAD_SAMPLES));
  return clip;
}

/**
 * The air flow's derivative is t (1 - t) (1 - 2 t) while the glottis is open, t from 0 to 1. All in
 * one loop over plain numbers: a script that has only just been loaded is interpreted, and there
 * each call tells.
 */
function fillWithVoice(voice: Float32Array): void {
  let phase = 0;
  // Each resonator's last output and the one before.
  let [a, aa, b, bb, c, cc, d, dd] = [0, 0, 0, 0, 0, 0, 0, 0];
  for (let from = 0; from < voice.length; from += STEP_SAMPLES) {
    const swing = Math.sin((2 * Math.PI * PITCH_SWING_HZ * from) / SAMPLE_RATE_HZ);
    const advance = (PITCH_HZ * (1 + PITCH_SWING * swing)) / SAMPLE_RATE_HZ;
    const position = from / SYLLABLE_SAMPLES;
    const loudness = VOICE * Math.sqrt(Math.sin(Math.PI * (position % 1)));
    const [c1, c2] = [resonance(R1, 0, position), resonance(R2, 1, position)];
    const [c3, c4] = [resonance(R3, 2, position), resonance(R4, 3, position)];
    const gain = loudness * (1 - c1 - D1) * (1 - c2 - D2) * (1 - c3 - D3) * (1 - c4 - D4);
    for (let n = from; n < from + STEP_SAMPLES; n++) {
      phase += advance;
      if (phase >= 1) phase -= 1;
      const t = phase / OPEN_PART;
      const pulse = t < 1 ? gain * t * (1 - t) * (1 - 2 * t) : 0;
      const first = pulse + c1 * a + D1 * aa;
      aa = a;
      a = first;
      const second = first + c2 * b + D2 * bb;
      bb = b;
      b = second;
      const third = second + c3 * c + D3 * cc;
      cc = c;
      c = third;
      const fourth = third + c4 * d + D4 * dd;
      dd = d;
      d = fourth;
      voice[n] = fourth;
    }
  }
}

function poleRadius(bandwidthHz: number): number {
  return Math.exp((-Math.PI * bandwidthHz) / SAMPLE_RATE_HZ);
}

/**
 * The last output's weight in a resonator, at a position counted in syllables: each vowel glides
 * into the next.
 */
function resonance(radius: number, formant: number, position: number): number {
  const syllable = Math.floor(position);
  const from = VOWELS_HZ[syllable % VOWELS_HZ.length]?.[formant] ?? 0;
  const to = VOWELS_HZ[(syllable + 1) % VOWELS_HZ.length]?.[formant] ?? 0;
  const frequencyHz = from + (to - from) * (position - syllable);
  return 2 * radius * Math.cos((2 * Math.PI * frequencyHz) / SAMPLE_RATE_HZ);
}

/** White noise from a linear congruential generator (Numerical Recipes' constants). */
function fillWithNoise(noise: Float32Array): void {
  let state = 12_345;
  for (let n = 0; n < noise.length; n++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    noise[n] = (state / 2 ** 32 - 0.5) * NOISE;
  }
}
