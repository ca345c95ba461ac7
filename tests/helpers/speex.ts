import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createResampler, loadSpeex, type Resampler } from '../../worklets/resampler.ts';

const glue = createRequire(import.meta.url).resolve('@echogarden/speex-resampler-wasm/simd');

/** The resampler as the page compiles it. */
export const RESAMPLER_MODULE = new WebAssembly.Module(
  readFileSync(join(dirname(glue), 'speex-resampler-simd.wasm')),
);

const speex = await loadSpeex(RESAMPLER_MODULE);

/** A fresh resampler in Node. */
export function newResampler(rateHz: number): Resampler {
  return createResampler(speex, rateHz);
}

/** All of `input` at 16 kHz, given to a resampler in blocks of `blockFrames`, with the flush. */
export function resampleWhole(
  resampler: Resampler,
  input: Float32Array,
  blockFrames = resampler.input.length,
): Float32Array {
  const pieces: number[] = [];
  for (let at = 0; at < input.length; at += blockFrames) {
    const block = input.subarray(at, at + blockFrames);
    resampler.input.set(block);
    const count = resampler.process(block.length);
    pieces.push(...resampler.output.subarray(0, count));
  }
  const rest = resampler.flush();
  pieces.push(...resampler.output.subarray(0, rest));
  return Float32Array.from(pieces);
}
