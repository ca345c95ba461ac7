import type { Tensor } from 'onnxruntime-web/wasm';
import {
  CONTEXT_SAMPLES,
  FRAME_SAMPLES,
  WINDOW_SAMPLES,
} from '../../src/core/audio/audio-format.ts';
import type { OrtRuntime } from '../../workers/audio/ort-engine.ts';

/** Silero on onnxruntime with nothing left out: the three probabilities of a frame, and its state. */
export type RawWindows = {
  infer(frame: Float32Array): Promise<readonly number[]>;
  reset(): void;
};

/** Opens a model for `RawWindows`. */
export async function createRawWindows(
  ort: OrtRuntime,
  modelFile: ArrayBuffer,
): Promise<RawWindows> {
  const session = await ort.InferenceSession.create(modelFile, { logSeverityLevel: 3 });
  const sr = new ort.Tensor('int64', [16_000n], []);
  const audio = new Float32Array(CONTEXT_SAMPLES + FRAME_SAMPLES);
  const fresh = () => new ort.Tensor('float32', new Float32Array(256), [2, 1, 128]);
  let state: Tensor = fresh();
  return {
    async infer(frame) {
      audio.set(frame, CONTEXT_SAMPLES);
      const given: number[] = [];
      for (let start = 0; start < FRAME_SAMPLES; start += WINDOW_SAMPLES) {
        const samples = audio.slice(start, start + CONTEXT_SAMPLES + WINDOW_SAMPLES);
        const input = new ort.Tensor('float32', samples, [1, samples.length]);
        const { output, stateN } = await session.run({ input, state, sr });
        given.push((output!.data as Float32Array)[0]!);
        state = stateN!;
      }
      audio.copyWithin(0, FRAME_SAMPLES);
      return given;
    },
    reset() {
      state = fresh();
      audio.fill(0);
    },
  };
}
