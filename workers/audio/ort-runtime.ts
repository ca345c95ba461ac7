import type { OrtAddresses } from '../../src/core/contracts/asset-addresses.ts';
import { DikteraError } from '../../src/core/errors.ts';
import { fetchAsset } from '../http/fetch-asset.ts';
import type { HttpClient } from '../http/http-client.ts';
import { clampThreads } from './clamp-threads.ts';
import type { EngineRequest } from './engine-factory.ts';

/** The onnxruntime-web module, set up and ready to make sessions. */
export type OrtRuntime = typeof import('onnxruntime-web/wasm');

/** The runtime is 14 MB; anything far beyond is not it. */
const MAX_WASM_BYTES = 64 * 2 ** 20;

/** What every WebAssembly file begins with: `\0asm`. */
const WASM_MAGIC: readonly number[] = [0x00, 0x61, 0x73, 0x6d];

const HOW_TO_HAVE_IT =
  'npm install onnxruntime-web@1.30.0, serve its folder dist, and name that folder in the ' +
  'option ortBaseUrl';

let loading: Promise<OrtRuntime> | null = null;

/** What onnxruntime-web is loaded with. */
export type OrtRequest = Pick<EngineRequest, 'assets' | 'http' | 'threads'>;

/**
 * Loads onnxruntime-web, once for the worker: the first call decides how many threads there are.
 * Script and WASM are files of their own, fetched here and not before. After a failure the next
 * call tries again.
 *
 * Throws `engine-missing` where nobody has said where it is, `asset-unreachable` or `asset-wrong`.
 */
export function loadOrtRuntime(request: OrtRequest): Promise<OrtRuntime> {
  loading ??= load(request).catch((error: unknown) => {
    loading = null;
    throw error;
  });
  return loading;
}

async function load({ assets, http, threads }: OrtRequest): Promise<OrtRuntime> {
  const { ort: place } = assets;
  if (place === null) {
    throw new DikteraError('engine-missing', `onnxruntime-web is not there: ${HOW_TO_HAVE_IT}`);
  }
  // Onnxruntime would fetch the WASM by itself, but one failure would bar it from ever trying
  // again, and what went wrong would not be told.
  const [ort, wasmBinary] = await Promise.all([importOrt(place), fetchWasm(place, http)]);
  ort.env.wasm.wasmBinary = wasmBinary;
  ort.env.wasm.numThreads = clampThreads(threads, {
    cores: navigator.hardwareConcurrency,
    isIsolated: globalThis.crossOriginIsolated,
  });
  return ort;
}

async function importOrt({ script }: OrtAddresses): Promise<OrtRuntime> {
  try {
    return (await import(/* @vite-ignore */ script)) as OrtRuntime;
  } catch (error) {
    throw unreachable(`The script of onnxruntime-web could not be loaded: ${script}`, error);
  }
}

async function fetchWasm({ wasm }: OrtAddresses, http: HttpClient): Promise<ArrayBuffer> {
  try {
    return await fetchAsset(http, {
      address: wasm,
      maxBytes: MAX_WASM_BYTES,
      findFault: (bytes) => (isWasm(bytes) ? null : 'it is not WebAssembly'),
    });
  } catch (error) {
    if (!(error instanceof DikteraError) || error.code !== 'asset-unreachable') throw error;
    throw unreachable(error.message, error);
  }
}

/** Whether it is missing or the network is, a browser does not always say. */
function unreachable(what: string, cause: unknown): DikteraError {
  const message = `${what}. If it is not there: ${HOW_TO_HAVE_IT}`;
  return new DikteraError('asset-unreachable', message, { cause });
}

function isWasm(bytes: ArrayBuffer): boolean {
  const start = new Uint8Array(bytes, 0, Math.min(WASM_MAGIC.length, bytes.byteLength));
  return WASM_MAGIC.every((byte, i) => start[i] === byte);
}
