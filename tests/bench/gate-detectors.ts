import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { FrameProcessor } from '@ricky0123/vad-web/dist/frame-processor.js';
import { Message } from '@ricky0123/vad-web/dist/messages.js';
import { Silero } from '@ricky0123/vad-web/dist/models/index.js';
import {
  SAMPLE_RATE_HZ,
  type SampleRange,
  WINDOW_SAMPLES,
} from '../../src/core/audio/audio-format.ts';
import type { SpeechEngine } from '../../src/core/speech/speech-engine.ts';
import { createSteadyEngine } from '../../src/core/speech/steady-engine.ts';
import { RECORDING_VAD_OPTIONS } from '../../src/core/speech/vad-options.ts';
import { segmentsOf } from '../helpers/gate-scene.ts';
import { nodeKernel } from '../helpers/node-kernel.ts';

/** Who finds segments in audio, at the recording preset, from a clean state. */
export type GateDetector = {
  readonly name: string;
  segments(samples: Float32Array): Promise<readonly SampleRange[]>;
};

/** The model alone and ours; then the peer. */
export async function gateDetectors(): Promise<GateDetector[]> {
  return [
    detectorOf('plain', await nodeKernel()),
    detectorOf('ours', createSteadyEngine(await nodeKernel())),
    await vadWeb(),
  ];
}

function detectorOf(name: string, engine: SpeechEngine): GateDetector {
  return { name, segments: (samples) => segmentsOf(engine, samples) };
}

const FRAME_MS = (3 * WINDOW_SAMPLES * 1_000) / SAMPLE_RATE_HZ;

/** The model and frame processor of its `MicVAD`, at the same thresholds and times. */
async function vadWeb(): Promise<GateDetector> {
  const { resolve } = createRequire(import.meta.url);
  const ort = await import('onnxruntime-web/wasm');
  const runtime = readFileSync(resolve('onnxruntime-web/ort-wasm-simd-threaded.wasm'));
  ort.env.wasm.wasmBinary = Uint8Array.from(runtime).buffer;
  ort.env.wasm.numThreads = 1;
  ort.env.logLevel = 'error';
  const folder = join(resolve('@ricky0123/vad-web/dist/frame-processor.js'), '..');
  const file = Uint8Array.from(readFileSync(join(folder, 'silero_vad_v6.onnx')));
  const model = await Silero.new(ort, () => Promise.resolve(file.buffer));
  const vad = RECORDING_VAD_OPTIONS;
  return {
    name: 'vad-web',
    async segments(samples) {
      const segments: SampleRange[] = [];
      let endSample = 0;
      const processor = new FrameProcessor(
        model.process,
        model.reset_state,
        {
          positiveSpeechThreshold: vad.positiveSpeechThreshold,
          negativeSpeechThreshold: vad.negativeSpeechThreshold,
          redemptionMs: vad.redemptionFrames * FRAME_MS,
          preSpeechPadMs: vad.preSpeechPadFrames * FRAME_MS,
          minSpeechMs: 1,
          submitUserSpeechOnPause: true,
        },
        FRAME_MS / 3,
      );
      const hear: Parameters<typeof processor.process>[1] = (event) => {
        if (event.msg !== Message.SpeechEnd) return;
        segments.push({ startSample: endSample - event.audio.length, endSample });
      };
      model.reset_state();
      processor.resume();
      while (endSample + WINDOW_SAMPLES <= samples.length) {
        const window = samples.slice(endSample, endSample + WINDOW_SAMPLES);
        endSample += WINDOW_SAMPLES;
        await processor.process(window, hear);
      }
      processor.pause(hear);
      return segments;
    },
  };
}
