import { FRAME_SAMPLES } from '../../src/core/audio/audio-format.ts';
import type { SpeechEngine } from '../../src/core/speech/speech-engine.ts';
import type { OrtRuntime } from '../../workers/audio/ort-engine.ts';

/** Ways to run Silero wrongly that raise no error. */
export type RawFault =
  | 'none'
  /** zeros where the samples before each window belong. */
  | 'zero-context'
  /** nothing in front of the 512 samples. */
  | 'no-context'
  /** each frame's first window has zeros in front, the others what belongs there. */
  | 'context-lost-between-frames'
  /** the mean of a frame's windows. */
  | 'mean'
  /** a frame's first window only. */
  | 'first-window'
  /** The state is not carried on. */
  | 'no-state'
  /** The state outlives a reset. */
  | 'no-reset';

/**
 * Silero straight on onnxruntime, one call after the other with new tensors each time: what our
 * engines must agree with, and, with a fault, what the self-test must find.
 */
export async function createRawSilero(
  ort: OrtRuntime,
  modelFile: ArrayBuffer,
  fault: RawFault = 'none',
): Promise<SpeechEngine> {
  const session = await ort.InferenceSession.create(modelFile, { logSeverityLevel: 3 });
  const sr = new ort.Tensor('int64', [16_000n], []);
  let carried = new Float32Array(256);
  let context = new Float32Array(64);

  const forget = () => {
    carried = new Float32Array(256);
    context = new Float32Array(64);
  };

  async function infer(samples: Float32Array): Promise<number> {
    const outputs = await session.run({
      input: new ort.Tensor('float32', samples, [1, samples.length]),
      sr,
      state: new ort.Tensor('float32', carried, [2, 1, 128]),
    });
    if (fault !== 'no-state') carried = Float32Array.from(outputs.stateN!.data as Float32Array);
    return (outputs.output!.data as Float32Array)[0]!;
  }

  async function inferWindow(window: Float32Array): Promise<number> {
    const before = fault === 'zero-context' ? new Float32Array(64) : context;
    context = window.slice(-64);
    return infer(fault === 'no-context' ? window : Float32Array.of(...before, ...window));
  }

  return {
    kind: 'ort',
    async infer(frame) {
      if (fault === 'context-lost-between-frames') context = new Float32Array(64);
      const given: number[] = [];
      for (let start = 0; start < FRAME_SAMPLES; start += 512) {
        given.push(await inferWindow(frame.slice(start, start + 512)));
      }
      if (fault === 'mean') return given.reduce((sum, p) => sum + p, 0) / given.length;
      return fault === 'first-window' ? given[0]! : Math.max(...given);
    },
    reset: () => {
      if (fault !== 'no-reset') forget();
    },
    dispose: () => session.release(),
  };
}
