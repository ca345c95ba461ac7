import { FRAME_SAMPLES } from '../../src/core/audio/audio-format.ts';
import type { WorkerAssets } from '../../src/core/contracts/asset-addresses.ts';
import type { BenchmarkCase, BenchmarkWorkerApi } from '../../src/core/contracts/benchmark.ts';
import { DikteraError } from '../../src/core/errors.ts';
import type { BareEngine, SpeechEngine } from '../../src/core/speech/speech-engine.ts';
import { createSteadyEngine } from '../../src/core/speech/steady-engine.ts';

export type BenchmarkWorkerPorts = {
  readonly load: (what: BenchmarkCase, assets: WorkerAssets) => Promise<BareEngine>;
  /** Milliseconds on a clock that only goes forward, as fine as there is. */
  readonly nowMs: () => number;
  /** Bytes this worker has fetched so far. */
  readonly fetchedBytes: () => number;
};

/**
 * One engine under the stopwatch: what is timed is one hearing, as every engine has it; what is
 * inferred is what the product would infer.
 */
export function createBenchmarkWorker(ports: BenchmarkWorkerPorts): BenchmarkWorkerApi {
  const { load, nowMs, fetchedBytes } = ports;
  let loaded: { readonly bare: BareEngine; readonly steady: SpeechEngine } | null = null;
  let frames: readonly Float32Array[] = [];
  let nextFrame = 0;

  function engines() {
    if (!loaded) throw new DikteraError('wrong-phase', 'The engine has not been started');
    return loaded;
  }

  /** The frame whose turn it is; the model's state starts anew with the audio. */
  function takeFrame(engine: SpeechEngine): Float32Array {
    const frame = frames[nextFrame];
    if (!frame) throw new DikteraError('wrong-phase', 'There is no audio to run over');
    if (nextFrame === 0) engine.reset();
    nextFrame = (nextFrame + 1) % frames.length;
    return frame;
  }

  return {
    ping() {},
    async start(what, assets) {
      const bytesBefore = fetchedBytes();
      const startedMs = nowMs();
      const bare = await load(what, assets);
      loaded = { bare, steady: createSteadyEngine(bare) };
      return { startupMs: nowMs() - startedMs, bytes: fetchedBytes() - bytesBefore };
    },
    setAudio(samples) {
      frames = cutFrames(samples);
      nextFrame = 0;
    },
    async inferAll() {
      nextFrame = 0;
      const { steady } = engines();
      const probabilities: number[] = [];
      for (let i = 0; i < frames.length; i++) {
        probabilities.push(await steady.infer(takeFrame(steady)));
      }
      return probabilities;
    },
    async run(budgetMs) {
      nextFrame = 0;
      const { bare } = engines();
      const frameUs: number[] = [];
      const startedMs = nowMs();
      let beforeMs = startedMs;
      while (beforeMs - startedMs < budgetMs) {
        // An answer that is there at once is not waited for: that would cost as much as the kernel
        // does.
        const answer = bare.infer(takeFrame(bare));
        if (typeof answer !== 'number') await answer;
        const afterMs = nowMs();
        frameUs.push((afterMs - beforeMs) * 1_000);
        beforeMs = afterMs;
      }
      return Float32Array.from(frameUs);
    },
    async inferNext() {
      const { bare } = engines();
      const frame = takeFrame(bare);
      const startedMs = nowMs();
      const answer = bare.infer(frame);
      if (typeof answer !== 'number') await answer;
      return (nowMs() - startedMs) * 1_000;
    },
  };
}

function cutFrames(samples: Float32Array): readonly Float32Array[] {
  const frames: Float32Array[] = [];
  for (let start = 0; start < samples.length; start += FRAME_SAMPLES) {
    const frame = new Float32Array(FRAME_SAMPLES);
    frame.set(samples.subarray(start, start + FRAME_SAMPLES));
    frames.push(frame);
  }
  return frames;
}
