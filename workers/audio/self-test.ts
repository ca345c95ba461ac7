import { FRAME_SAMPLES, SAMPLE_RATE_HZ } from '../../src/core/audio/audio-format.ts';
import { DikteraError } from '../../src/core/errors.ts';
import type { SpeechEngine } from '../../src/core/speech/speech-engine.ts';

/**
 * The model's probabilities for the frames of the test clip: onnxruntime's, fed one window at a time. In the frames that are tested a context of zeros is off by up to 0.056, v5's weights by
 * 0.2.
 */
export const SELF_TEST_PROBABILITIES: readonly number[] = [
  0.012087, 0.709854, 0.984352, 0.98563, 0.984758, 0.934071, 0.94256, 0.968609, 0.934949, 0.95937,
];

/**
 * As far as the model is sure of the voice. A wrong context or other weights are seen by then,
 * and the rest would take as long again.
 */
export const SELF_TEST_FRAMES = 4;

/**
 * Infers the test clip's beginning and holds the answers against what the model is known to give,
 * so that a wrong file, context, state or order is found before anybody speaks; also that `reset`
 * forgets. It warms the engine up, too: the first inference in a process takes many times longer
 * than the next. The engine is reset before and after.
 *
 * `tolerance` is the largest difference allowed: 1e-3 for f32 weights, 1e-2 for half precision.
 * Throws `engine-failed`, which names the first wrong frame.
 */
export async function selfTest(engine: SpeechEngine, tolerance: number): Promise<void> {
  const expected = SELF_TEST_PROBABILITIES.slice(0, SELF_TEST_FRAMES);
  const clip = createTestClip(SELF_TEST_FRAMES);
  engine.reset();
  try {
    for (const [frame, probability] of expected.entries()) {
      await expectProbability(engine, clip, frame, probability, tolerance);
    }
    engine.reset();
    await expectProbability(engine, clip, 0, expected[0] ?? 0, tolerance);
  } finally {
    engine.reset();
  }
}

async function expectProbability(
  engine: SpeechEngine,
  clip: Float32Array,
  frame: number,
  expected: number,
  tolerance: number,
): Promise<void> {
  const start = frame * FRAME_SAMPLES;
  const given = await engine.infer(clip.subarray(start, start + FRAME_SAMPLES));
  // Written so that NaN fails.
  if (Math.abs(given - expected) <= tolerance) return;
  const message = `Silero (${engine.kind}) failed its self-test: frame ${frame} gave ${given}, not ${expected}`;
  throw new DikteraError('engine-failed', message);
}

/** Frames in the whole clip: one of faint noise, then a voice. */
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
