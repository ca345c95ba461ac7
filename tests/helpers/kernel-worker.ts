import { type Remote, wrap } from 'comlink';
import type { KernelWorkerApi } from './kernel.worker.ts';

/** A fresh worker with a kernel and onnxruntime side by side. */
export function startKernelWorker(): { bench: Remote<KernelWorkerApi>; stop: () => void } {
  const worker = new Worker(new URL('./kernel.worker.ts', import.meta.url), { type: 'module' });
  return { bench: wrap<KernelWorkerApi>(worker), stop: () => worker.terminate() };
}
