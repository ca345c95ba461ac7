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

/** The file holds 0.46 MB; anything far beyond is not a kernel. */
const MAX_BYTES = 4 * 2 ** 20;

/**
 * A module with one function that multiplies and adds vectors at once (`f32x4.relaxed_madd` of
 * three zeros):
 * https://webassembly.github.io/spec/core/binary/instructions.html#vector-instructions
 */
const FUSION_PROBE = Uint8Array.of(
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
 * Silero on the hand-written kernel: one file of 0.46 MB (0.41 MB compressed), two milliseconds to
 * start, twenty times onnxruntime's speed. Needs WebAssembly's 128-bit SIMD. It runs on one thread
 * whatever is wanted: a second one would cost more than it gives.
 */
export const kernelFactory: EngineFactory = {
  kind: 'kernel',
  // For weights of 16 bits: 2.4e-3 was the largest difference in twenty minutes of speech and
  // noise.
  selfTestTolerance: 1e-2,
  async create({ assets, http }) {
    const started = new Map<ArrayBuffer, KernelEngine>();
    // Relaxed SIMD is a fifth faster on Intel's processors. Where the processor has no such
    // instruction, the browser computes the same in two.
    const canFuse = WebAssembly.validate(FUSION_PROBE);
    const bytes = await fetchAsset(http, {
      address: canFuse ? assets.kernel.fused : assets.kernel.plain,
      maxBytes: MAX_BYTES,
      async findFault(content) {
        try {
          started.set(content, await startFile(content));
          return null;
        } catch (error) {
          const { code, message } = toErrorInfo(error, 'asset-wrong');
          // A start that fails is not the file's fault: `startFile` below throws it.
          return code === 'engine-failed' ? null : message;
        }
      },
    });
    return started.get(bytes) ?? startFile(bytes);
  },
};

async function startFile(content: ArrayBuffer): Promise<KernelEngine> {
  return createKernelEngine(await WebAssembly.compile(content));
}

/** A kernel as an engine, with what tests and benchmarks look at. */
export type KernelEngine = Omit<BareEngine, 'infer'> & {
  /** Infers a frame at once: some 30 microseconds, nothing allocated. */
  infer(frame: Float32Array): number;
  /** The probabilities behind the last answer, of its three windows. */
  probabilities(): readonly number[];
};

/**
 * Silero on a kernel's file as the build makes it, compiled: code and weights. The engine answers
 * at once and keeps nothing of a frame. Samples that are NaN, infinite or absurd (beyond +-1000)
 * count as silence, and a short frame is filled up with it.
 *
 * Throws `asset-wrong` when the file is not the model's kernel or is damaged, `engine-failed` when
 * it can't be started.
 */
export function createKernelEngine(module: WebAssembly.Module): KernelEngine {
  const kernel = startKernel(module, readWeights(module));
  const { memory, FRAME, PROBABILITIES, PROBABILITY_COUNT } = kernel;
  // The kernel never grows its memory, so the views stay good.
  return createPass(0, {
    kernel,
    input: new Float32Array(memory.buffer, FRAME.value, FRAME_SAMPLES),
    probabilities: new Float32Array(memory.buffer, PROBABILITIES.value, PROBABILITY_COUNT.value),
  });
}

type Running = {
  readonly kernel: KernelExports;
  readonly input: Float32Array;
  readonly probabilities: Float32Array;
};

/** An engine on one of the kernel's states. */
function createPass(state: number, started: Running): KernelEngine {
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
      return kernel.infer(state);
    },
    probabilities: () => [...alive().probabilities],
    twin() {
      const { STATE_COUNT } = alive().kernel;
      if (state + 1 < STATE_COUNT.value) return createPass(state + 1, alive());
      throw new DikteraError('engine-failed', `A kernel has ${STATE_COUNT.value} states, no more`);
    },
    reset() {
      running?.kernel.reset(state);
    },
    dispose() {
      running = null;
    },
  };
}

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
  'STATE_COUNT',
] as const;

/** The exports of kernel/assembly. Globals hold addresses, in bytes, or counts. */
export type KernelExports = { readonly [Name in (typeof GLOBALS)[number]]: WebAssembly.Global } & {
  readonly memory: WebAssembly.Memory;
  /** Goes on from a checksum over so many bytes at an address. */
  checksum(sum: number, from: number, bytes: number): number;
  prepare(isPacked: boolean): void;
  /** `state` counts from 0: the model's running states, `STATE_COUNT` of them. */
  reset(state: number): void;
  infer(state: number): number;
};

/** A model's weights as they lie in a kernel's file. */
type PackedWeights = {
  /** Biases and other few numbers. */
  readonly vectors: Float32Array<ArrayBuffer>;
  /** 16 bits a weight, in planes, or floats. */
  readonly matrices: Uint8Array<ArrayBuffer>;
  readonly matrixCount: number;
  readonly isPacked: boolean;
  /** The checksum of the vectors and the matrices behind them; the kernel checks it. */
  readonly checksum: number;
};

/**
 * Takes the weights out of a kernel's module and checks their format and number. Throws
 * `asset-wrong`, which names the fault.
 */
function readWeights(module: WebAssembly.Module): PackedWeights {
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

/**
 * Starts a kernel and gives it its weights; about 1 ms. Throws `engine-failed` when it can't be
 * started, `asset-wrong` when the weights are damaged or not the code's.
 */
function startKernel(module: WebAssembly.Module, weights: PackedWeights): KernelExports {
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

function wrong(fault: string): DikteraError {
  return new DikteraError('asset-wrong', `The kernel's file is not the one it should be: ${fault}`);
}
