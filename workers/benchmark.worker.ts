import { expose } from 'comlink';
import { FRAME_SAMPLES } from '../src/core/audio/audio-format.ts';
import type { WorkerAssets } from '../src/core/contracts/asset-addresses.ts';
import type { BenchmarkCase, BenchmarkWorkerApi } from '../src/core/contracts/benchmark.ts';
import { DikteraError } from '../src/core/errors.ts';
import type { BareEngine, SpeechEngine } from '../src/core/speech/speech-engine.ts';
import { createSteadyEngine } from '../src/core/speech/steady-engine.ts';
import { browserClock } from '../src/platform/browser-clock.ts';
import { createTested } from './audio/choose-engine.ts';
import type { EngineFactory } from './audio/engine-factory.ts';
import { kernelFactory } from './audio/kernel-engine.ts';
import { loadOrtRuntime, ortFactory } from './audio/ort-engine.ts';
import { createHttpClient } from './http/http-client.ts';

// One engine under the stopwatch. The time of one pass of the bare engine is taken; the
// probabilities are those of the steady engine, as in the product.

const http = createHttpClient({ clock: browserClock });

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

/** Runs one frame; in microseconds. */
async function timeOne(bare: BareEngine): Promise<number> {
  const frame = takeFrame(bare);
  const startedMs = performance.now();
  const answer = bare.infer(frame);
  if (typeof answer !== 'number') await answer;
  return (performance.now() - startedMs) * 1_000;
}

const api: BenchmarkWorkerApi = {
  ping() {},
  async start(what, assets) {
    const bytesBefore = fetchedBytes();
    const startedMs = performance.now();
    const bare = await load(what, assets);
    loaded = { bare, steady: createSteadyEngine(bare) };
    return { startupMs: performance.now() - startedMs, bytes: fetchedBytes() - bytesBefore };
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
    const startedMs = performance.now();
    let beforeMs = startedMs;
    while (beforeMs - startedMs < budgetMs) {
      // An answer that is there at once is not awaited: that would cost as much as the kernel does.
      const answer = bare.infer(takeFrame(bare));
      if (typeof answer !== 'number') await answer;
      const afterMs = performance.now();
      frameUs.push((afterMs - beforeMs) * 1_000);
      beforeMs = afterMs;
    }
    return Float32Array.from(frameUs);
  },
  inferNext: async () => timeOne(engines().bare),
};

expose(api);

/** Bytes this worker has fetched, by the browser's own records; 0 for what it does not tell. */
function fetchedBytes(): number {
  return performance
    .getEntriesByType('resource')
    .filter((entry) => entry instanceof PerformanceResourceTiming)
    .reduce((total, { encodedBodySize }) => total + encodedBodySize, 0);
}

/** Loads exactly the engine asked for, bare: none takes another's place. Throws a DikteraError. */
function load({ engine, threads }: BenchmarkCase, assets: WorkerAssets): Promise<BareEngine> {
  const factory = engine === 'kernel' ? kernelFactory : unclampedOrt();
  return createTested(factory, { assets, threads, http });
}

/**
 * Onnxruntime with as many threads as the benchmark says, even more than there are cores. The
 * dictation itself never takes more than there are.
 */
function unclampedOrt(): EngineFactory {
  return {
    ...ortFactory,
    async create(request) {
      if (request.threads > 1 && !globalThis.crossOriginIsolated) {
        throw new DikteraError('engine-failed', 'Threads need a cross-origin isolated page');
      }
      // The number is read when the first session is made, and not before.
      const runtime = await loadOrtRuntime(request);
      runtime.env.wasm.numThreads = request.threads;
      return ortFactory.create(request);
    },
  };
}

function cutFrames(samples: Float32Array): readonly Float32Array[] {
  const cut: Float32Array[] = [];
  for (let start = 0; start < samples.length; start += FRAME_SAMPLES) {
    const frame = new Float32Array(FRAME_SAMPLES);
    frame.set(samples.subarray(start, start + FRAME_SAMPLES));
    cut.push(frame);
  }
  return cut;
}
