/** Where onnxruntime-web is, absolute. */
export type OrtAddresses = {
  /** Its script `ort.wasm.bundle.min.mjs`. */
  readonly script: string;
  /** Its `ort-wasm-simd-threaded.wasm`. */
  readonly wasm: string;
};

/** Addresses of the files that the dictation worker fetches, all absolute. */
export type WorkerAssets = {
  /** The script of the worker that reads compressed audio. */
  readonly reader: string;
  /** The script of the worker that writes and reads Opus where the browser does not. */
  readonly opus: string;
  /** The kernel; the fused one is for browsers that multiply and add in one instruction. */
  readonly kernel: { readonly plain: string; readonly fused: string };
  /** Silero's own file, which onnxruntime-web runs. */
  readonly model: string;
  /** Null where nobody has said where onnxruntime-web is. */
  readonly ort: OrtAddresses | null;
};

/** Every file that is fetched at run time, all absolute. */
export type AssetAddresses = {
  /** The script of the dictation worker. */
  readonly worker: string;
  /** The script of the capture worklet. */
  readonly worklet: string;
  /** The resampler's WASM. */
  readonly resampler: string;
  readonly forWorker: WorkerAssets;
};
