import { DikteraError } from '../../src/core/errors.ts';
import { KERNEL_CHECKSUM_START } from '../../src/core/speech/kernel-format.ts';
import { type PackedWeights, wrong } from './kernel-weights.ts';

/** What kernel/assembly exports. Globals hold addresses, in bytes, or counts. */
export type KernelExports = {
  readonly memory: WebAssembly.Memory;
  readonly WIRE: WebAssembly.Global;
  readonly MATRICES: WebAssembly.Global;
  readonly MATRIX_COUNT: WebAssembly.Global;
  readonly VECTORS: WebAssembly.Global;
  readonly VECTOR_COUNT: WebAssembly.Global;
  readonly FRAME: WebAssembly.Global;
  readonly PROBABILITIES: WebAssembly.Global;
  readonly PROBABILITY_COUNT: WebAssembly.Global;
  /** Goes on from a checksum over so many bytes at an address. */
  checksum(sum: number, from: number, bytes: number): number;
  prepare(isPacked: boolean): void;
  /** How many may hear with these weights, each with a state of its own: 0, 1, ... */
  readonly HEARINGS: WebAssembly.Global;
  reset(hearing: number): void;
  infer(hearing: number): number;
};

const FUNCTIONS = ['checksum', 'prepare', 'reset', 'infer'] as const;
const GLOBALS = [
  'WIRE',
  'MATRICES',
  'MATRIX_COUNT',
  'VECTORS',
  'VECTOR_COUNT',
  'FRAME',
  'PROBABILITIES',
  'PROBABILITY_COUNT',
  'HEARINGS',
] as const;

/**
 * Starts a kernel and gives it its weights; about 1 ms. It never grows its memory, so views of it
 * stay good. Throws `engine-failed` when it can't be started, `asset-wrong` when the weights are
 * damaged or not the code's.
 */
export function startKernel(module: WebAssembly.Module, weights: PackedWeights): KernelExports {
  const kernel = instantiate(module);
  const { vectors, matrices, matrixCount, isPacked } = weights;
  const { VECTORS, WIRE, MATRICES } = kernel;
  if (kernel.MATRIX_COUNT.value !== matrixCount || kernel.VECTOR_COUNT.value !== vectors.length) {
    const message = `The kernel wants other weights than the ${matrixCount} and ${vectors.length} there are`;
    throw new DikteraError('asset-wrong', message);
  }
  const { buffer } = kernel.memory;
  const matricesAt = (isPacked ? WIRE : MATRICES).value;
  new Float32Array(buffer, VECTORS.value).set(vectors);
  new Uint8Array(buffer, matricesAt).set(matrices);
  const sum = kernel.checksum(KERNEL_CHECKSUM_START, VECTORS.value, vectors.byteLength);
  if (kernel.checksum(sum, matricesAt, matrices.byteLength) >>> 0 !== weights.checksum) {
    throw wrong('its weights are damaged');
  }
  kernel.prepare(isPacked);
  return kernel;
}

function instantiate(module: WebAssembly.Module): KernelExports {
  try {
    const { exports } = new WebAssembly.Instance(module);
    if (isKernel(exports)) return exports;
  } catch (error) {
    throw new DikteraError('engine-failed', 'The kernel could not be started', { cause: error });
  }
  throw new DikteraError('asset-wrong', 'The kernel lacks something the worker needs');
}

function isKernel(exports: object): exports is KernelExports {
  const found = new Map<string, unknown>(Object.entries(exports));
  return (
    found.get('memory') instanceof WebAssembly.Memory &&
    FUNCTIONS.every((name) => typeof found.get(name) === 'function') &&
    GLOBALS.every((name) => found.get(name) instanceof WebAssembly.Global)
  );
}
