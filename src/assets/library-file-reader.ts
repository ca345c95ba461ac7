import type { WorkerAssets } from '../core/contracts/asset-addresses.ts';
import { assetPlace } from './asset-place.ts';

/** As `library-addresses.ts` says it of the other files, for pages alone that read files. */
export function fileReader(): { readonly script: string; readonly kernel: WorkerAssets['kernel'] } {
  const { assetBaseUrl } = assetPlace();
  const at = (name: string, beside: URL): string =>
    assetBaseUrl === null
      ? new URL(beside.href, document.baseURI).href
      : new URL(name, assetBaseUrl).href;
  return {
    script: at('file-worker.js', new URL('./assets/file-worker.js', import.meta.url)),
    kernel: {
      plain: at('silero-v6.wasm', new URL('./assets/silero-v6.wasm', import.meta.url)),
      fused: at('silero-v6-fused.wasm', new URL('./assets/silero-v6-fused.wasm', import.meta.url)),
    },
  };
}
