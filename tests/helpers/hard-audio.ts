import { FRAME_SAMPLES, SAMPLE_RATE_HZ } from '../../src/core/audio/audio-format.ts';
import { createTestClip } from '../../workers/audio/self-test.ts';

/** A stretch of audio with a name, to say where something went wrong. */
export type AudioPart = { readonly name: string; readonly samples: Float32Array };

/**
 * More than five minutes of what a detector may hear, whole frames, the same every time. The given
 * voices and a synthetic one at many pitches and loudnesses: clean, clipped, noisy, with a constant
 * offset, beyond full scale. Noise from subnormal numbers to full scale, silence, hum. Tones and
 * offsets come with the faint noise every microphone has: without it most of their spectrum is
 * rounding errors.
 */
export function createHardAudio(voices: readonly Float32Array[]): AudioPart[] {
  const noise = createNoise();
  const parts: AudioPart[] = [];
  const add = (name: string, samples: Float32Array): void => {
    parts.push({ name, samples: wholeFrames(samples) });
  };
  const seconds = (count: number, at: (n: number) => number): Float32Array =>
    Float32Array.from({ length: count * SAMPLE_RATE_HZ }, (_, n) => at(n));

  for (const [voice, samples] of [...voices, createTestClip()].entries()) {
    for (const speed of [0.85, 1, 1.2]) {
      const said = resampled(samples, speed);
      for (const gain of [0.01, 1]) {
        add(
          `voice ${voice} x${speed} at ${gain}`,
          said.map((x) => x * gain),
        );
      }
      add(
        `voice ${voice} x${speed} in noise`,
        said.map((x) => x * 0.3 + noise() * 0.1),
      );
      add(
        `voice ${voice} x${speed} clipped`,
        said.map((x) => clamp(x * 12)),
      );
      add(
        `voice ${voice} x${speed} with an offset`,
        said.map((x) => x * 0.5 - 0.1 + 1e-3 * noise()),
      );
    }
    add(
      `voice ${voice} beyond full scale`,
      samples.map((x) => x * 4),
    );
    add(
      'silence',
      seconds(1, () => 0),
    );
  }
  for (const level of [1e-42, 1e-38, 1e-20, 1e-6, 1e-3, 0.05, 1]) {
    add(
      `noise at ${level}`,
      seconds(3, () => level * noise()),
    );
  }
  for (const hz of [50, 440, 1_000, 4_000, 7_900]) {
    const turn = (2 * Math.PI * hz) / SAMPLE_RATE_HZ;
    add(
      `${hz} Hz`,
      seconds(2, (n) => 0.8 * Math.sin(turn * n) + 1e-3 * noise()),
    );
  }
  add(
    'full scale, up and down',
    seconds(2, (n) => ((n >> 5) % 2 === 0 ? 1 : -1) + 1e-3 * noise()),
  );
  add(
    'clicks',
    seconds(3, (n) => (n % 4_000 === 0 ? 1 : 0)),
  );
  return parts;
}

/** Played faster (and higher) or slower: linear interpolation. */
function resampled(samples: Float32Array, speed: number): Float32Array {
  return Float32Array.from({ length: Math.floor((samples.length - 1) / speed) }, (_, n) => {
    const at = n * speed;
    const from = Math.floor(at);
    const left = samples[from] ?? 0;
    return left + ((samples[from + 1] ?? 0) - left) * (at - from);
  });
}

function wholeFrames(samples: Float32Array): Float32Array {
  const whole = new Float32Array(Math.ceil(samples.length / FRAME_SAMPLES) * FRAME_SAMPLES);
  whole.set(samples);
  return whole;
}

function clamp(sample: number): number {
  return Math.max(-1, Math.min(1, sample));
}

/** White noise in -1..1 (Numerical Recipes' linear congruential generator). */
function createNoise(): () => number {
  let state = 7;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}
