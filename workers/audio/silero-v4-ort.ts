import type { InferenceSession } from 'onnxruntime-web/wasm';
import { FRAME_SAMPLES } from '../../src/core/audio/audio-format.ts';
import type { BareEngine } from '../../src/core/speech/speech-engine.ts';
import { copyClean } from './copy-clean.ts';
import { createOrtEngine, floatsOf, type OrtHearing, openOrtSession } from './ort-engine.ts';
import type { OrtRuntime } from './ort-runtime.ts';

/** The LSTMs' states: two layers of `[1, 64]`. */
const STATE_SHAPE: readonly number[] = [2, 1, 64];
const STATE_LENGTH = 128;

/** Silero v4 ("legacy") on onnxruntime: one inference a frame. */
export async function createSileroV4Ort(
  ort: OrtRuntime,
  modelFile: ArrayBuffer,
): Promise<BareEngine> {
  const session = await openOrtSession(ort, modelFile);
  return createOrtEngine({
    model: 'v4',
    session,
    startHearing: () => startHearing(ort, session),
  });
}

function startHearing(ort: OrtRuntime, session: InferenceSession): OrtHearing {
  const audio = new Float32Array(FRAME_SAMPLES);
  const hidden = new Float32Array(STATE_LENGTH);
  const cell = new Float32Array(STATE_LENGTH);
  const feeds = {
    input: new ort.Tensor('float32', audio, [1, FRAME_SAMPLES]),
    sr: new ort.Tensor('int64', [16_000n], []),
    h: new ort.Tensor('float32', hidden, STATE_SHAPE),
    c: new ort.Tensor('float32', cell, STATE_SHAPE),
  };

  return {
    async infer(frame) {
      copyClean(frame, audio);
      const outputs = await session.run(feeds);
      hidden.set(floatsOf(outputs, 'hn', STATE_LENGTH));
      cell.set(floatsOf(outputs, 'cn', STATE_LENGTH));
      const [probability = Number.NaN] = floatsOf(outputs, 'output', 1);
      return probability;
    },
    forget() {
      hidden.fill(0);
      cell.fill(0);
    },
  };
}
