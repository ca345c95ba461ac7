import { FRAME_SAMPLES } from '../../src/core/audio/audio-format.ts';
import { DikteraError, toErrorInfo } from '../../src/core/errors.ts';
import {
  KERNEL_CHECKSUM_START,
  KERNEL_HEADER_WORDS,
  KERNEL_MAGIC,
  KERNEL_SECTION,
  kernelSectionBytes,
} from '../../src/core/speech/kernel-format.ts';
import type { BareEngine } from '../../src/core/speech/speech-engine.ts';
import { fetchAsset } from '../http/fetch-asset.ts';
import type { EngineFactory } from './engine-factory.ts';

/** A kernel as an engine, and what only tests and benchmarks look at. */
export type KernelEngine = Omit<BareEngine, 'infer'> & {
  /** Infers a frame at once: some 30 microseconds, nothing allocated. */
  infer(frame: Float32Array): number;
  /** The probabilities behind the last answer, of its three windows. */
  probabilities(): readonly number[];
};

/**
 * Silero on the hand-written kernel. `module` is a kernel's file as the build makes it, compiled:
 * code and weights. The engine answers at once and keeps nothing of a frame; samples that are not a
 * number, infinite or absurd (beyond +-1000) are silence, as is what a short frame lacks.
 *
 * Throws `asset-wrong` when the file is not the model's kernel or is damaged, `engine-failed` when
 * it can't be started.
 */
export function createKernelEngine(module: WebAssembly.Module): KernelEngine {
  return hear(start(module, readPackedWeights(module)), 0);
}

/** One of those who hear with the weights of one kernel. */
function hear(started: Running, hearing: number): KernelEngine {
  let running: Running | null = started;
  const alive = (): Running => {
    if (!running) throw new DikteraError('engine-failed', 'The kernel has been disposed of');
    return running;
  };

  return {
    kind: 'kernel',
    infer(frame) {
      const { kernel, input } = alive();
      if (frame.length > FRAME_SAMPLES) {
        const message = `A frame holds at most ${FRAME_SAMPLES} samples, not ${frame.length}`;
        throw new DikteraError('engine-failed', message);
      }
      input.set(frame);
      if (frame.length < FRAME_SAMPLES) input.fill(0, frame.length);
      return kernel.infer(hearing);
    },
    probabilities: () => [...alive().probabilities],
    twin() {
      const { HEARINGS } = alive().kernel;
      if (hearing + 1 < HEARINGS.value) return hear(alive(), hearing + 1);
      throw new DikteraError('engine-failed', `A kernel has ${HEARINGS.value} hearings, no more`);
    },
    reset() {
      running?.kernel.reset(hearing);
    },
    dispose() {
      running = null;
    },
  };
}

/** A kernel with views of its memory, which it never grows. */
type Running = ReturnType<typeof start>;

function start(module: WebAssembly.Module, weights: PackedWeights) {
  const kernel = startKernel(module, weights);
  const { memory, FRAME, PROBABILITIES, PROBABILITY_COUNT } = kernel;
  return {
    kernel,
    input: new Float32Array(memory.buffer, FRAME.value, FRAME_SAMPLES),
    probabilities: new Float32Array(memory.buffer, PROBABILITIES.value, PROBABILITY_COUNT.value),
  };
}

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

/** A model's weights as they lie in a kernel's file. */
export type PackedWeights = {
  /** Biases and other few numbers. */
  readonly vectors: Float32Array<ArrayBuffer>;
  /** 16 bits a weight, in planes, or floats. */
  readonly matrices: Uint8Array<ArrayBuffer>;
  readonly matrixCount: number;
  readonly isPacked: boolean;
  /** Of the vectors and the matrices behind them; the kernel finds out whether it is right. */
  readonly checksum: number;
};

/**
 * Takes the weights out of a kernel's module, once they are known to be the model's and as many as
 * they should be. Throws `asset-wrong`, which says what is wrong.
 */
export function readPackedWeights(module: WebAssembly.Module): PackedWeights {
  const [section, ...others] = WebAssembly.Module.customSections(module, KERNEL_SECTION);
  if (!section || others.length > 0) throw wrong(`it holds ${others.length} sections of weights`);
  if (section.byteLength < KERNEL_HEADER_WORDS * 4 || section.byteLength % 4 !== 0) {
    throw wrong(`its weights take ${section.byteLength} bytes`);
  }

  const words = new Uint32Array(section);
  const [magic, bits = 0, matrixCount = 0, vectorCount = 0, checksum = 0] = words;
  const header = { bits, matrixCount, vectorCount, checksum };
  if (magic !== KERNEL_MAGIC) throw wrong('its weights are in another format');
  if ((bits !== 16 && bits !== 32) || kernelSectionBytes(header) !== section.byteLength) {
    throw wrong(`its weights take ${section.byteLength} bytes, and the header says otherwise`);
  }

  const vectors = new Float32Array(section, KERNEL_HEADER_WORDS * 4, vectorCount);
  const matrices = new Uint8Array(section, vectors.byteOffset + vectors.byteLength);
  return { vectors, matrices, matrixCount, isPacked: bits === 16, checksum };
}

/** The `asset-wrong` error of a kernel's file; `fault` says what is wrong in a few words. */
export function wrong(fault: string): DikteraError {
  return new DikteraError('asset-wrong', `The kernel's file is not the one it should be: ${fault}`);
}

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

/**
 * A module with one function that multiplies and adds vectors at once (`f32x4.relaxed_madd` of
 * three zeros):
 * https://webassembly.github.io/spec/core/binary/instructions.html#vector-instructions
 */
const PROBE = Uint8Array.of(
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
  // One type, () -> v128, and one function of it.
  ...[0x01, 0x05, 0x01, 0x60, 0x00, 0x01, 0x7b],
  ...[0x03, 0x02, 0x01, 0x00],
  // Its body: i32.const 0, i8x16.splat, three times; f32x4.relaxed_madd; end.
  ...[0x0a, 0x13, 0x01, 0x11, 0x00],
  ...[0x41, 0x00, 0xfd, 0x0f, 0x41, 0x00, 0xfd, 0x0f, 0x41, 0x00, 0xfd, 0x0f],
  ...[0xfd, 0x85, 0x02, 0x0b],
);

/**
 * Whether the browser knows relaxed SIMD. Where the processor can't fuse, it still computes the
 * same in two steps.
 */
export function canFuse(): boolean {
  return WebAssembly.validate(PROBE);
}
