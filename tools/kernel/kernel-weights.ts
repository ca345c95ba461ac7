/** A model's weights in the order in which a kernel reads them. */
export type KernelWeights = {
  /** The great matrices: sent as halves. */
  readonly matrices: readonly Float32Array[];
  /** Biases and other few numbers: sent as they are. */
  readonly vectors: readonly Float32Array[];
};
