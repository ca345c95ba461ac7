import { toErrorInfo } from '../../src/core/errors.ts';
import type { SpeechModel } from '../../src/core/speech-engine.ts';
import { fetchAsset } from '../http/fetch-asset.ts';
import type { EngineFactory } from '../vad/engine-factory.ts';
import { canFuse } from './can-fuse.ts';
import { createKernelEngine } from './kernel-engine.ts';
import { type PackedWeights, readPackedWeights } from './kernel-weights.ts';

/** The kernels' files. The build makes them (tools/build-kernel.ts) and gives them names by their content. */
const PLAIN: Readonly<Record<SpeechModel, string>> = {
  v6: new URL('./built/silero-v6.wasm', import.meta.url).href,
  v4: new URL('./built/silero-v4.wasm', import.meta.url).href,
};

/** The same for browsers that multiply and add at once: a fifth faster on Intel's processors. */
const FUSED: Readonly<Record<SpeechModel, string>> = {
  v6: new URL('./built/silero-v6-fused.wasm', import.meta.url).href,
  v4: new URL('./built/silero-v4-fused.wasm', import.meta.url).href,
};

/** The largest holds 0.46 MB; anything far beyond is not a kernel. */
const MAX_BYTES = 4 * 2 ** 20;

/** A file that has been found to be the model's kernel. */
type CheckedKernel = { readonly module: WebAssembly.Module; readonly weights: PackedWeights };

async function checkKernel(content: ArrayBuffer, model: SpeechModel): Promise<CheckedKernel> {
  const module = await WebAssembly.compile(content);
  return { module, weights: readPackedWeights(module, model) };
}

/**
 * Silero on the hand-written kernel: one file of 0.46 MB (0.41 MB compressed), two milliseconds to start, twenty
 * times onnxruntime's speed. Needs nothing but WebAssembly's 128-bit SIMD. It runs on one thread whatever is
 * wanted: a second one would cost more than it gives.
 */
export const kernelFactory: EngineFactory = {
  kind: 'kernel',
  // For weights of 16 bits: 2.4e-3 was the largest difference in twenty minutes of speech and noise.
  selfTestTolerance: 1e-2,
  async create({ model, http }) {
    const checked = new Map<ArrayBuffer, CheckedKernel>();
    const bytes = await fetchAsset(http, {
      address: (canFuse() ? FUSED : PLAIN)[model],
      maxBytes: MAX_BYTES,
      async findFault(content) {
        try {
          checked.set(content, await checkKernel(content, model));
          return null;
        } catch (error) {
          return toErrorInfo(error, 'asset-wrong').message;
        }
      },
    });
    const { module, weights } = checked.get(bytes) ?? (await checkKernel(bytes, model));
    return createKernelEngine({ model, module, weights });
  },
};
