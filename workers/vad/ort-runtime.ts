import wasmUrl from 'onnxruntime-web/ort-wasm-simd-threaded.wasm?url';
import { DikteraError } from '../../src/core/errors.ts';
import { fetchAsset } from '../http/fetch-asset.ts';
import type { HttpClient } from '../http/http-client.ts';
import { clampThreads } from './clamp-threads.ts';

/** The onnxruntime-web module, set up and ready to make sessions. */
export type OrtRuntime = typeof import('onnxruntime-web/wasm');

/** The runtime is 14 MB; anything far beyond is not it. */
const MAX_WASM_BYTES = 64 * 2 ** 20;

/** What every WebAssembly file begins with: `\0asm`. */
const WASM_MAGIC: readonly number[] = [0x00, 0x61, 0x73, 0x6d];

let loading: Promise<OrtRuntime> | null = null;

/**
 * Loads onnxruntime-web, once for the worker: the first call decides how many threads there are.
 * Script and WASM are files of their own, fetched here and not before. After a failure the next call
 * tries again.
 *
 * Throws `asset-unreachable` or `asset-wrong`.
 */
export function loadOrtRuntime(http: HttpClient, threads: number): Promise<OrtRuntime> {
  loading ??= load(http, threads).catch((error: unknown) => {
    loading = null;
    throw error;
  });
  return loading;
}

async function load(http: HttpClient, threads: number): Promise<OrtRuntime> {
  // Onnxruntime would fetch the WASM by itself, but one failure would bar it from ever trying again,
  // and what went wrong would not be told.
  const [ort, wasmBinary] = await Promise.all([
    importOrt(),
    fetchAsset(http, {
      address: new URL(wasmUrl, globalThis.location.href).href,
      maxBytes: MAX_WASM_BYTES,
      findFault: (bytes) => (isWasm(bytes) ? null : 'it is not WebAssembly'),
    }),
  ]);
  ort.env.wasm.wasmBinary = wasmBinary;
  ort.env.wasm.numThreads = clampThreads(threads, {
    cores: navigator.hardwareConcurrency,
    isIsolated: globalThis.crossOriginIsolated,
  });
  return ort;
}

async function importOrt(): Promise<OrtRuntime> {
  try {
    return await import('onnxruntime-web/wasm');
  } catch (error) {
    const message = 'The script of onnxruntime-web could not be loaded';
    throw new DikteraError('asset-unreachable', message, { cause: error });
  }
}

function isWasm(bytes: ArrayBuffer): boolean {
  const start = new Uint8Array(bytes, 0, Math.min(WASM_MAGIC.length, bytes.byteLength));
  return WASM_MAGIC.every((byte, i) => start[i] === byte);
}
