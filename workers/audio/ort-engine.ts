import type { InferenceSession } from 'onnxruntime-web/wasm';
import { DikteraError } from '../../src/core/errors.ts';
import type { BareEngine, SpeechEngine } from '../../src/core/speech/speech-engine.ts';
import type { OrtRuntime } from './ort-runtime.ts';

/** What differs between the models: how a frame is fed, and what is carried on to the next. */
export type OrtModel = {
  readonly session: InferenceSession;
  /** A state that has heard nothing yet. */
  readonly startHearing: () => OrtHearing;
};

/** A state of a model. */
export type OrtHearing = {
  /** Infers a frame and carries the state on. */
  readonly infer: (frame: Float32Array) => Promise<number>;
  /** Clears the state. */
  readonly forget: () => void;
};

/** Opens a model file. Throws `engine-failed` when onnxruntime can't make sense of it. */
export async function openOrtSession(
  ort: OrtRuntime,
  modelFile: ArrayBuffer,
): Promise<InferenceSession> {
  try {
    return await ort.InferenceSession.create(modelFile, {
      executionProviders: ['wasm'],
      graphOptimizationLevel: 'all',
      // Errors only: it warns of leftovers in Silero's graphs that do no harm.
      logSeverityLevel: 3,
    });
  } catch (error) {
    throw new DikteraError('engine-failed', 'onnxruntime could not open the model', {
      cause: error,
    });
  }
}

/**
 * A model on onnxruntime as an engine. Holds it to one frame at a time, since a second one on its
 * way would infer with a state that is already spent; a `reset` in mid-frame takes place after it.
 * When a frame fails the state is cleared. Every failure is an `engine-failed`.
 */
export function createOrtEngine({ session, startHearing }: OrtModel): BareEngine {
  let released: Promise<void> | null = null;
  const release = () => {
    released ??= session.release();
    return released;
  };
  const hear = () => createHearingEngine(startHearing(), release);
  return { ...hear(), twin: hear };
}

function createHearingEngine(
  { infer, forget }: OrtHearing,
  dispose: () => Promise<void>,
): SpeechEngine {
  let isInferring = false;
  let isForgetDue = false;

  return {
    kind: 'ort',
    async infer(frame) {
      if (isInferring) {
        throw new DikteraError('engine-failed', 'The frame before is still being inferred');
      }
      isInferring = true;
      try {
        return checkProbability(await infer(frame));
      } catch (error) {
        isForgetDue = true;
        if (error instanceof DikteraError) throw error;
        throw new DikteraError('engine-failed', 'onnxruntime failed on Silero', { cause: error });
      } finally {
        isInferring = false;
        if (isForgetDue) forget();
        isForgetDue = false;
      }
    },
    reset() {
      if (isInferring) isForgetDue = true;
      else forget();
    },
    dispose,
  };
}

/** An output of a run as floats; throws when the model has no such output of that length. */
export function floatsOf(
  outputs: InferenceSession.ReturnType,
  name: string,
  length: number,
): Float32Array {
  const data = outputs[name]?.data;
  if (data instanceof Float32Array && data.length === length) return data;
  throw new DikteraError('engine-failed', `The model gave no ${name} of ${length} numbers`);
}

function checkProbability(probability: number): number {
  if (probability >= 0 && probability <= 1) return probability;
  throw new DikteraError('engine-failed', `The model gave ${probability} for a probability`);
}
