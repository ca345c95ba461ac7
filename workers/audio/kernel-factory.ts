import { toErrorInfo } from '../../src/core/errors.ts';
import { fetchAsset } from '../http/fetch-asset.ts';
import { canFuse } from './can-fuse.ts';
import type { EngineFactory } from './engine-factory.ts';
import { createKernelEngine, type KernelEngine } from './kernel-engine.ts';

/** It holds 0.46 MB; anything far beyond is not a kernel. */
const MAX_BYTES = 4 * 2 ** 20;

async function startFile(content: ArrayBuffer): Promise<KernelEngine> {
  return createKernelEngine(await WebAssembly.compile(content));
}

/**
 * Silero on the hand-written kernel: one file of 0.46 MB (0.41 MB compressed), two milliseconds to
 * start, twenty times onnxruntime's speed. Needs nothing but WebAssembly's 128-bit SIMD. It runs on
 * one thread whatever is wanted: a second one would cost more than it gives.
 */
export const kernelFactory: EngineFactory = {
  kind: 'kernel',
  // For weights of 16 bits: 2.4e-3 was the largest difference in twenty minutes of speech and
  // noise.
  selfTestTolerance: 1e-2,
  async create({ assets, http }) {
    const started = new Map<ArrayBuffer, KernelEngine>();
    const bytes = await fetchAsset(http, {
      // To multiply and add at once is a fifth faster on Intel's processors.
      address: canFuse() ? assets.kernel.fused : assets.kernel.plain,
      maxBytes: MAX_BYTES,
      async findFault(content) {
        try {
          started.set(content, await startFile(content));
          return null;
        } catch (error) {
          const { code, message } = toErrorInfo(error, 'asset-wrong');
          // What can't be started here is not the file's fault: it is said below.
          return code === 'engine-failed' ? null : message;
        }
      },
    });
    return started.get(bytes) ?? startFile(bytes);
  },
};
