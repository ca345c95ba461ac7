import createSpeex, { type SpeexGlue } from '@echogarden/speex-resampler-wasm/simd';

/**
 * Brings the compiled resampler to life, without fetching anything: an AudioWorklet cannot. Rejects
 * if the module is not the resampler.
 */
export function loadSpeex(module: WebAssembly.Module): Promise<SpeexGlue> {
  return new Promise((resolve, reject) => {
    createSpeex({
      instantiateWasm(imports, receive) {
        try {
          const instance = new WebAssembly.Instance(module, imports);
          receive(instance);
          return instance.exports;
        } catch (error) {
          // Thrown on, it would send the glue off to fetch the file itself: here it just waits.
          reject(error);
          return {};
        }
      },
    }).then(resolve, reject);
  });
}
