import { FRAME_SAMPLES } from '../../src/core/audio/audio-format.ts';
import { createTestClip } from '../../workers/audio/self-test.ts';

/** Some 4 s of voice at three loudnesses, noise, a tone, silence: whole frames, always alike. */
export function createVariedAudio(): Float32Array {
  const voice = createTestClip();
  const noise = new Float32Array(4 * FRAME_SAMPLES);
  let seed = 1;
  for (let n = 0; n < noise.length; n++) {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    noise[n] = (seed / 2 ** 32 - 0.5) * 0.2;
  }
  const tone = Float32Array.from(
    noise,
    (_, n) => 0.3 * Math.sin((2 * Math.PI * 1_000 * n) / 16_000),
  );
  const parts = [
    voice.map((x) => x * 0.1),
    noise,
    voice,
    tone,
    new Float32Array(4 * FRAME_SAMPLES),
    voice.map((x) => x * 4),
  ];
  const audio = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    audio.set(part, at);
    at += part.length;
  }
  return audio;
}
