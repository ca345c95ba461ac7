/** The part of the Speex resampler's WASM build (which brings no types) that `decode-pcm.ts` uses. */
declare module '@echogarden/speex-resampler-wasm/simd' {
  /** Addresses are byte offsets into the module's memory. */
  export type SpeexModule = {
    readonly HEAPF32: Float32Array;
    readonly HEAPU32: Uint32Array;
    _malloc(bytes: number): number;
    _free(address: number): void;
    _speex_resampler_init(
      channels: number,
      inRateHz: number,
      outRateHz: number,
      quality: number,
      errorAddress: number,
    ): number;
    _speex_resampler_destroy(state: number): void;
    _speex_resampler_skip_zeros(state: number): number;
    _speex_resampler_get_input_latency(state: number): number;
    _speex_resampler_process_float(
      state: number,
      channel: number,
      inAddress: number,
      inLengthAddress: number,
      outAddress: number,
      outLengthAddress: number,
    ): number;
  };
  export default function createSpeexModule(): Promise<SpeexModule>;
}
