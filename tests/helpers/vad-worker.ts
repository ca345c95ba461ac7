import { type Remote, wrap } from 'comlink';
import type { VadWorkerApi } from './vad.worker.ts';

/** A fresh worker with an engine's test bench in it. */
export function startVadWorker(): { vad: Remote<VadWorkerApi>; stop: () => void } {
  const worker = new Worker(new URL('./vad.worker.ts', import.meta.url), { type: 'module' });
  return { vad: wrap<VadWorkerApi>(worker), stop: () => worker.terminate() };
}
