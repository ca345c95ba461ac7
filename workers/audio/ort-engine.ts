import type { InferenceSession } from 'onnxruntime-web/wasm';
import {
  CONTEXT_SAMPLES,
  FRAME_SAMPLES,
  WINDOW_SAMPLES,
} from '../../src/core/audio/audio-format.ts';
import { DikteraError } from '../../src/core/errors.ts';
import type { BareEngine, SpeechEngine } from '../../src/core/speech/speech-engine.ts';
import { copyClean } from './copy-clean.ts';
import type { OrtRuntime } from './ort-runtime.ts';

/** The recurrent state: two layers of `[1, 128]`. */
const STATE_SHAPE: readonly number[] = [2, 1, 128];
const STATE_LENGTH = 256;

/**
 * Silero v6.2 on onnxruntime: three windows of 512 samples a frame, each with the 64 samples before
 * it in front, and the largest of the three probabilities. Without those 64 samples the model says
 * nothing of use, and nothing tells.
 *
 * Holds it to one frame at a time, since a second one on its way would infer with a state that is
 * already spent; a `reset` in mid-frame takes place after it. When a frame fails the state is
 * cleared. Every failure is an `engine-failed`, also of a file that onnxruntime can't make sense of.
 */
export async function createOrtEngine(
  ort: OrtRuntime,
  modelFile: ArrayBuffer,
): Promise<BareEngine> {
  const session = await openSession(ort, modelFile);
  let released: Promise<void> | null = null;
  const release = () => {
    released ??= session.release();
    return released;
  };
  const hear = () => createHearingEngine(startHearing(ort, session), release);
  return { ...hear(), twin: hear };
}

async function openSession(ort: OrtRuntime, modelFile: ArrayBuffer): Promise<InferenceSession> {
  try {
    return await ort.InferenceSession.create(modelFile, {
      executionProviders: ['wasm'],
      graphOptimizationLevel: 'all',
      // Errors only: it warns of leftovers in Silero's graph that do no harm.
      logSeverityLevel: 3,
    });
  } catch (error) {
    throw new DikteraError('engine-failed', 'onnxruntime could not open the model', {
      cause: error,
    });
  }
}

/** A state of the model, which has heard nothing yet. */
function startHearing(ort: OrtRuntime, session: InferenceSession) {
  // The last samples of the frame before, then the frame: each window's input is a view of it.
  const audio = new Float32Array(CONTEXT_SAMPLES + FRAME_SAMPLES);
  const frameAudio = audio.subarray(CONTEXT_SAMPLES);
  const state = new Float32Array(STATE_LENGTH);
  const fixedFeeds = {
    state: new ort.Tensor('float32', state, STATE_SHAPE),
    sr: new ort.Tensor('int64', [16_000n], []),
  };
  const windows: ReturnType<typeof createWindow>[] = [];
  for (let start = 0; start < FRAME_SAMPLES; start += WINDOW_SAMPLES) {
    windows.push(createWindow(start));
  }

  function createWindow(start: number) {
    const samples = audio.subarray(start, start + CONTEXT_SAMPLES + WINDOW_SAMPLES);
    return { ...fixedFeeds, input: new ort.Tensor('float32', samples, [1, samples.length]) };
  }

  return {
    /** Infers a frame and carries the state on. */
    async infer(frame: Float32Array): Promise<number> {
      copyClean(frame, frameAudio);
      let largest = 0;
      for (const feeds of windows) {
        const outputs = await session.run(feeds);
        state.set(floatsOf(outputs, 'stateN', STATE_LENGTH));
        const [probability = Number.NaN] = floatsOf(outputs, 'output', 1);
        largest = Math.max(largest, probability);
      }
      audio.copyWithin(0, FRAME_SAMPLES);
      return largest;
    },
    forget(): void {
      audio.fill(0);
      state.fill(0);
    },
  };
}

function createHearingEngine(
  { infer, forget }: ReturnType<typeof startHearing>,
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
function floatsOf(
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
