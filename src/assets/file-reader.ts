import kernel from '../../workers/audio/built/silero-v6.wasm?url';
import kernelFused from '../../workers/audio/built/silero-v6-fused.wasm?url';
import reader from '../../workers/audio/read-file.worker.ts?worker&url';
import type { WorkerAssets } from '../core/contracts/asset-addresses.ts';

/** The script that reads files of sound, and the speech detector that it needs. */
export type FileReader = { readonly script: string; readonly kernel: WorkerAssets['kernel'] };

/**
 * As Vite serves them to our own pages. In the library's build `library-file-reader.ts` stands in its
 * place.
 */
export function fileReader(): FileReader {
  const absolute = (address: string): string => new URL(address, globalThis.location.href).href;
  const addresses = { plain: absolute(kernel), fused: absolute(kernelFused) };
  return { script: absolute(reader), kernel: addresses };
}
