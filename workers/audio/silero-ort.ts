import type { InferenceSession } from 'onnxruntime-web/wasm';
import {
  CONTEXT_SAMPLES,
  FRAME_SAMPLES,
  WINDOW_SAMPLES,
} from '../../src/core/audio/audio-format.ts';
import type { BareEngine } from '../../src/core/speech/speech-engine.ts';
import { copyClean } from './copy-clean.ts';
import { createOrtEngine, floatsOf, type OrtHearing, openOrtSession } from './ort-engine.ts';
import type { OrtRuntime } from './ort-runtime.ts';

/** The recurrent state: two layers of `[1, 128]`. */
const STATE_SHAPE: readonly number[] = [2, 1, 128];
const STATE_LENGTH = 256;

/**
 * Silero v6.2 on onnxruntime: three windows of 512 samples a frame, each with the 64 samples before
 * it in front, and the largest of the three probabilities. Without those 64 samples the model says
 * nothing of use, and nothing tells.
 */
export async function createSileroOrt(
  ort: OrtRuntime,
  modelFile: ArrayBuffer,
): Promise<BareEngine> {
  const session = await openOrtSession(ort, modelFile);
  return createOrtEngine({
    session,
    startHearing: () => startHearing(ort, session),
  });
}

function startHearing(ort: OrtRuntime, session: InferenceSession): OrtHearing {
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
    async infer(frame) {
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
    forget() {
      audio.fill(0);
      state.fill(0);
    },
  };
}
