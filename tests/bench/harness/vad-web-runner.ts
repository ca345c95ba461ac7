import type { BenchmarkRunner } from '../../../src/benchmark/run-benchmark.ts';
import { FRAME_SAMPLES, WINDOW_SAMPLES } from '../../../src/core/audio/audio-format.ts';
import { VAD_WEB_FILES } from './vad-web-files.ts';

type PeerModel = {
  readonly infer: (frame: Float32Array) => Promise<number>;
  readonly reset: () => void;
};

/**
 * The peer, as its users run it: on the main thread, on onnxruntime-web, its frame processor behind
 * the model: the model and processor of its `MicVAD` without the microphone, three windows to a frame.
 */
export function createVadWebRunner(): BenchmarkRunner {
  let peer: PeerModel | null = null;
  let frames: readonly Float32Array[] = [];
  let nextFrame = 0;

  function loaded(): PeerModel {
    if (!peer) throw new Error('The peer has not been started');
    return peer;
  }

  function inferFrame(): Promise<number> {
    if (nextFrame === 0) loaded().reset();
    const frame = frames[nextFrame] ?? new Float32Array(FRAME_SAMPLES);
    nextFrame = (nextFrame + 1) % frames.length;
    return loaded().infer(frame);
  }

  return {
    key: { engine: 'vad-web', threads: 1 },
    async start() {
      const bytesBefore = fetchedBytes();
      const startedMs = performance.now();
      peer = await loadPeer();
      await peer.infer(new Float32Array(FRAME_SAMPLES));
      const startupMs = performance.now() - startedMs;
      return { startupMs, bytes: fetchedBytes() - bytesBefore };
    },
    async setAudio(samples) {
      frames = Array.from({ length: Math.ceil(samples.length / FRAME_SAMPLES) }, (_, index) => {
        const frame = new Float32Array(FRAME_SAMPLES);
        frame.set(samples.subarray(index * FRAME_SAMPLES, (index + 1) * FRAME_SAMPLES));
        return frame;
      });
    },
    async inferAll() {
      nextFrame = 0;
      const probabilities: number[] = [];
      for (let i = 0; i < frames.length; i++) probabilities.push(await inferFrame());
      return probabilities;
    },
    async run(budgetMs) {
      nextFrame = 0;
      const frameUs: number[] = [];
      const startedMs = performance.now();
      let beforeMs = startedMs;
      while (beforeMs - startedMs < budgetMs) {
        await inferFrame();
        const afterMs = performance.now();
        frameUs.push((afterMs - beforeMs) * 1_000);
        beforeMs = afterMs;
      }
      return Float32Array.from(frameUs);
    },
    async inferNext() {
      const startedMs = performance.now();
      await inferFrame();
      return (performance.now() - startedMs) * 1_000;
    },
    dispose() {
      peer = null;
    },
  };
}

async function loadPeer(): Promise<PeerModel> {
  const { FrameProcessor, Message } = await import('@ricky0123/vad-web');
  const { ort } = await import('@ricky0123/vad-web/dist/real-time-vad.js');
  const { Silero } = await import('@ricky0123/vad-web/dist/models/index.js');
  const { defaultFrameProcessorOptions } = await import(
    '@ricky0123/vad-web/dist/frame-processor.js'
  );
  ort.env.wasm.wasmPaths = VAD_WEB_FILES;
  ort.env.logLevel = 'error';
  const model = await Silero.new(ort, async () => {
    return (await fetch(`${VAD_WEB_FILES}silero_vad_v6.onnx`)).arrayBuffer();
  });
  const processor = new FrameProcessor(
    model.process,
    model.reset_state,
    defaultFrameProcessorOptions,
    WINDOW_SAMPLES / 16,
  );
  processor.resume();
  return {
    reset: () => model.reset_state(),
    async infer(frame) {
      let largest = 0;
      for (let start = 0; start < FRAME_SAMPLES; start += WINDOW_SAMPLES) {
        await processor.process(frame.slice(start, start + WINDOW_SAMPLES), (event) => {
          if (event.msg !== Message.FrameProcessed) return;
          largest = Math.max(largest, event.probs.isSpeech);
        });
      }
      return largest;
    },
  };
}

function fetchedBytes(): number {
  return performance
    .getEntriesByType('resource')
    .filter((entry) => entry instanceof PerformanceResourceTiming)
    .reduce((total, { encodedBodySize }) => total + encodedBodySize, 0);
}
