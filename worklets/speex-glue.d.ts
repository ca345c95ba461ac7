/** The Emscripten glue of SpeexDSP's resampler: the part of it that is used here. */
declare module '@echogarden/speex-resampler-wasm/simd' {
  /** C's pointers and integers are plain numbers; addresses are bytes into the WASM memory. */
  export type SpeexGlue = {
    readonly HEAPF32: Float32Array<ArrayBuffer>;
    readonly HEAPU32: Uint32Array<ArrayBuffer>;
    _malloc(bytes: number): number;
    /** The resampler's address; its error code is written to `error`. */
    _speex_resampler_init(
      channels: number,
      inputRateHz: number,
      outputRateHz: number,
      quality: number,
      error: number,
    ): number;
    /** Lengths hold what there is before the call, and what was taken or made after it. */
    _speex_resampler_process_float(
      resampler: number,
      channel: number,
      input: number,
      inputLength: number,
      output: number,
      outputLength: number,
    ): number;
    _speex_resampler_skip_zeros(resampler: number): number;
    _speex_resampler_reset_mem(resampler: number): number;
  };

  type InstantiateWasm = (
    imports: WebAssembly.Imports,
    receive: (instance: WebAssembly.Instance) => void,
  ) => object;

  const createSpeex: (options: { instantiateWasm: InstantiateWasm }) => Promise<SpeexGlue>;
  export default createSpeex;
}
