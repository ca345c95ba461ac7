import { DikteraError } from '../../src/core/errors.ts';
import {
  KERNEL_HEADER_WORDS,
  KERNEL_MAGIC,
  KERNEL_SECTION,
  kernelSectionBytes,
} from '../../src/core/speech/kernel-format.ts';

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
