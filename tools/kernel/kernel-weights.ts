import type { SmallFloat } from './small-float.ts';

/** A model's weights in the order in which a kernel reads them. */
export type KernelWeights = {
  /** The great matrices: sent in 16 bits a weight. */
  readonly matrices: readonly KernelMatrix[];
  /** Biases and other few numbers: sent as they are. */
  readonly vectors: readonly Float32Array[];
};

/** Weights in the kernel's order, and how they are rounded. */
export type KernelMatrix = { readonly values: Float32Array; readonly format: SmallFloat };
