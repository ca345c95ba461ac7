import { FRAME_SAMPLES } from '../../src/core/audio/audio-format.ts';
import type { SpeechEngine, SpeechModel } from '../../src/core/speech/speech-engine.ts';
import type { OrtRuntime } from '../../workers/audio/ort-runtime.ts';

/** Ways to run Silero wrongly that raise no error. */
export type RawFault =
  | 'none'
  /** v6: zeros where the samples before each window belong. */
  | 'zero-context'
  /** v6: nothing in front of the 512 samples. */
  | 'no-context'
  /** v6: each frame's first window has zeros in front, the others what belongs there. */
  | 'context-lost-between-frames'
  /** v6: the mean of a frame's windows. */
  | 'mean'
  /** v6: a frame's first window only. */
  | 'first-window'
  /** The state is not carried on. */
  | 'no-state'
  /** The state outlives a reset. */
  | 'no-reset';

/** What the models carry from call to call: inputs, and outputs of the same name with a suffix. */
const STATES = {
  v6: { names: ['state'], suffix: 'N', shape: [2, 1, 128], length: 256 },
  v4: { names: ['h', 'c'], suffix: 'n', shape: [2, 1, 64], length: 128 },
};

/**
 * Silero straight on onnxruntime, one call after the other with new tensors each time: what our
 * engines must agree with, and, with a fault, what the self-test must find.
 */
export async function createRawSilero(
  ort: OrtRuntime,
  model: SpeechModel,
  modelFile: ArrayBuffer,
  fault: RawFault = 'none',
): Promise<SpeechEngine> {
  const session = await ort.InferenceSession.create(modelFile, { logSeverityLevel: 3 });
  const sr = new ort.Tensor('int64', [16_000n], []);
  let carried: Float32Array[] = [];
  let context = new Float32Array(64);

  const forget = () => {
    carried = STATES[model].names.map(() => new Float32Array(STATES[model].length));
    context = new Float32Array(64);
  };
  forget();

  async function infer(samples: Float32Array): Promise<number> {
    const { names, shape, suffix } = STATES[model];
    const states = names.map((name, i) => [name, new ort.Tensor('float32', carried[i]!, shape)]);
    const outputs = await session.run({
      input: new ort.Tensor('float32', samples, [1, samples.length]),
      sr,
      ...Object.fromEntries(states),
    });
    if (fault !== 'no-state') {
      carried = names.map((name) => (outputs[`${name}${suffix}`]!.data as Float32Array).slice());
    }
    return (outputs.output!.data as Float32Array)[0]!;
  }

  async function inferWindow(window: Float32Array): Promise<number> {
    const before = fault === 'zero-context' ? new Float32Array(64) : context;
    context = window.slice(-64);
    return infer(fault === 'no-context' ? window : Float32Array.of(...before, ...window));
  }

  return {
    model,
    kind: 'ort',
    async infer(frame) {
      if (model === 'v4') return infer(frame.slice());
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
