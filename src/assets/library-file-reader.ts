import { assetPlace } from './asset-place.ts';
import type { FileReader } from './file-reader.ts';

/** Beside the library's files, or below `assetBaseUrl`; `library-addresses.ts` has the others. */
export function fileReader(): FileReader {
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
