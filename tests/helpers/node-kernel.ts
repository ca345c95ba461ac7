import { buildKernel } from '../../tools/build-kernel.ts';
import { createKernelEngine, type KernelEngine } from '../../workers/audio/kernel-engine.ts';

/** The kernel as it is shipped, bare, in Node; built where it has not been. */
export async function nodeKernel(): Promise<KernelEngine> {
  const module = new WebAssembly.Module(Uint8Array.from(await buildKernel()));
  return createKernelEngine(module);
}
