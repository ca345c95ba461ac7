import { FRAME_SAMPLES, SAMPLE_RATE_HZ } from '../../src/core/audio-format.ts';
import type { BenchmarkCase, BenchmarkWorkerApi } from '../../src/core/benchmark.ts';
import { DikteraError } from '../../src/core/errors.ts';
import type { OfflineEngine } from '../offline/offline-engine.ts';
import type { BenchmarkWorkerPorts } from './benchmark-worker.ts';

/** Several threads are for long audio: the sample is repeated until it is this long. */
const PASS_SAMPLES = 60 * SAMPLE_RATE_HZ;

export type OfflineBenchmarkPorts = Pick<BenchmarkWorkerPorts, 'nowMs' | 'fetchedBytes'> & {
  readonly load: (what: BenchmarkCase) => Promise<OfflineEngine>;
};

/** The kernel on several threads under the stopwatch: whole passes through the audio, no single frames. */
export function createOfflineBenchmark(ports: OfflineBenchmarkPorts): BenchmarkWorkerApi {
  const { load, nowMs, fetchedBytes } = ports;
  let loaded: OfflineEngine | null = null;
  let once: Float32Array = new Float32Array(0);
  let pass = new Float32Array(0);

  function engine(): OfflineEngine {
    if (!loaded) throw new DikteraError('wrong-phase', 'The engine has not been started');
    return loaded;
  }

  return {
    async start(what) {
      const bytesBefore = fetchedBytes();
      const startedMs = nowMs();
      loaded = await load(what);
      return { startupMs: nowMs() - startedMs, bytes: fetchedBytes() - bytesBefore };
    },
    setAudio(samples) {
      once = samples;
      const frames = Math.ceil(samples.length / FRAME_SAMPLES);
      const times = Math.max(1, Math.ceil(PASS_SAMPLES / samples.length));
      pass = new Float32Array(times * frames * FRAME_SAMPLES);
      for (let i = 0; i < times; i++) pass.set(samples, i * frames * FRAME_SAMPLES);
    },
    judgeAll: async () => [...(await engine().judgeAll(once))],
    async run(budgetMs) {
      const frames = pass.length / FRAME_SAMPLES;
      const frameUs: number[] = [];
      const startedMs = nowMs();
      let beforeMs = startedMs;
      while (beforeMs - startedMs < budgetMs) {
        await engine().judgeAll(pass);
        const afterMs = nowMs();
        // Each frame's share of the pass.
        frameUs.push(...new Array<number>(frames).fill(((afterMs - beforeMs) * 1_000) / frames));
        beforeMs = afterMs;
      }
      return Float32Array.from(frameUs);
    },
    judgeNext: () => Promise.reject(new DikteraError('wrong-phase', 'Frames come one at a time')),
  };
}
