// The paths into packages are no part of their exports.
import resampler from '../../node_modules/@echogarden/speex-resampler-wasm/wasm/speex-resampler-simd.wasm?url';
import ortScript from '../../node_modules/onnxruntime-web/dist/ort.wasm.bundle.min.mjs?url';
import ortWasm from '../../node_modules/onnxruntime-web/dist/ort-wasm-simd-threaded.wasm?url';
import kernel from '../../workers/audio/built/silero-v6.wasm?url';
import kernelFused from '../../workers/audio/built/silero-v6-fused.wasm?url';
import opus from '../../workers/audio/opus.worker.ts?worker&url';
import reader from '../../workers/audio/read-compressed.worker.ts?worker&url';
import worker from '../../workers/dictation.worker.ts?worker&url';
import worklet from '../../worklets/capture.worklet.ts?worker&url';
import type { AssetAddresses } from '../core/contracts/asset-addresses.ts';
import { MODEL_FILE_NAME } from '../core/speech/model-files.ts';

/**
 * The files of our own pages, as Vite serves and names them. In the library's build
 * `library-addresses.ts` stands in its place.
 */
export function assetAddresses(): AssetAddresses {
  const absolute = (address: string): string => new URL(address, globalThis.location.href).href;
  return {
    worker: absolute(worker),
    worklet: absolute(worklet),
    resampler: absolute(resampler),
    forWorker: {
      reader: absolute(reader),
      opus: absolute(opus),
      kernel: { plain: absolute(kernel), fused: absolute(kernelFused) },
      model: absolute(`${import.meta.env.BASE_URL}models/${MODEL_FILE_NAME}`),
      ort: { script: absolute(ortScript), wasm: absolute(ortWasm) },
    },
  };
}
