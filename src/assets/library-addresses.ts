import type { AssetAddresses } from '../core/contracts/asset-addresses.ts';
import { assetPlace } from './asset-place.ts';

/**
 * The files of the library: in the folder that was named, else beside the script. Each is written
 * out as `new URL('./assets/...', import.meta.url)`, since bundlers find them by this very form;
 * the build (tools/library) puts them there, under these names. Nothing is worked out before it is
 * asked for: a server that renders the page has no addresses.
 */
export function assetAddresses(): AssetAddresses {
  const { assetBaseUrl, ortBaseUrl } = assetPlace();
  const at = (name: string, beside: URL): string =>
    // Some bundlers (Next.js's) put an object of their own there, whose address is relative.
    assetBaseUrl === null
      ? new URL(beside.href, document.baseURI).href
      : new URL(name, assetBaseUrl).href;
  const worker = at('worker.js', new URL('./assets/worker.js', import.meta.url));
  return {
    worker,
    worklet: at('worklet.js', new URL('./assets/worklet.js', import.meta.url)),
    resampler: at('resampler.wasm', new URL('./assets/resampler.wasm', import.meta.url)),
    forWorker: {
      reader: at('reader-worker.js', new URL('./assets/reader-worker.js', import.meta.url)),
      opus: at('opus-worker.js', new URL('./assets/opus-worker.js', import.meta.url)),
      kernel: {
        plain: at('silero-v6.wasm', new URL('./assets/silero-v6.wasm', import.meta.url)),
        fused: at(
          'silero-v6-fused.wasm',
          new URL('./assets/silero-v6-fused.wasm', import.meta.url),
        ),
      },
      // Not in that form: a bundler would bring along 2 MB that onnxruntime-web alone reads.
      model: new URL('silero-v6.onnx', worker).href,
      ort:
        ortBaseUrl === null
          ? null
          : {
              script: new URL('ort.wasm.bundle.min.mjs', ortBaseUrl).href,
              wasm: new URL('ort-wasm-simd-threaded.wasm', ortBaseUrl).href,
            },
    },
  };
}
