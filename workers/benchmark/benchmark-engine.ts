import type { WorkerAssets } from '../../src/core/contracts/asset-addresses.ts';
import type { BenchmarkCase } from '../../src/core/contracts/benchmark.ts';
import { DikteraError } from '../../src/core/errors.ts';
import type { BareEngine } from '../../src/core/speech/speech-engine.ts';
import { createTested } from '../audio/choose-engine.ts';
import type { EngineFactory } from '../audio/engine-factory.ts';
import { kernelFactory } from '../audio/kernel-engine.ts';
import { loadOrtRuntime, ortFactory } from '../audio/ort-engine.ts';
import type { HttpClient } from '../http/http-client.ts';

/**
 * Onnxruntime with as many threads as the benchmark says, more than there are cores, too: that is
 * something to know. The dictation itself never takes more than there are.
 */
const unclampedOrt: EngineFactory = {
  ...ortFactory,
  async create(request) {
    if (request.threads > 1 && !globalThis.crossOriginIsolated) {
      throw new DikteraError('engine-failed', 'Threads need a cross-origin isolated page');
    }
    // Read when the first session is made, and not before.
    const runtime = await loadOrtRuntime(request);
    runtime.env.wasm.numThreads = request.threads;
    return ortFactory.create(request);
  },
};

/** Loads exactly the engine asked for, bare: none takes another's place. Throws a DikteraError. */
export function loadBenchmarkEngine(
  { engine, threads }: BenchmarkCase,
  { assets, http }: { readonly assets: WorkerAssets; readonly http: HttpClient },
): Promise<BareEngine> {
  const factory = engine === 'kernel' ? kernelFactory : unclampedOrt;
  return createTested(factory, { assets, threads, http });
}
