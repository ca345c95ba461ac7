import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { FRAME_SAMPLES } from '../../src/core/audio/audio-format.ts';
import { samplesOf } from '../../src/core/audio/samples.ts';
import { createCapturePipeline } from '../../worklets/capture-pipeline.ts';
import { createFramePool, createFrameStream } from '../../worklets/frame-stream.ts';
import { createResampler, loadSpeex } from '../../worklets/resampler.ts';
import type { WaveAudio } from './read-wave.ts';
import { WaveError } from './wave-error.ts';

/** A frame at 16 kHz, as the worklet sends it; the last one may be shorter. */
export type AudioFrame = { readonly startSample: number; readonly samples: Float32Array };

/** One render quantum of Web Audio: what the worklet gets at a time. */
const BLOCK_FRAMES = 128;

/** The rates that are read; the resampler would take more. */
const RATE_RANGE_HZ = { min: 4_000, max: 384_000 } as const;

/**
 * Sends audio through the very pipeline of the capture worklet: down-mix, resampling, cutting.
 * Throws a WaveError for a rate no recording has.
 */
export async function cutFrames({ rateHz, channels }: WaveAudio): Promise<readonly AudioFrame[]> {
  if (rateHz < RATE_RANGE_HZ.min || rateHz > RATE_RANGE_HZ.max) {
    throw new WaveError(
      `its rate is ${rateHz} Hz, not ${RATE_RANGE_HZ.min} to ${RATE_RANGE_HZ.max}`,
    );
  }
  const frames: AudioFrame[] = [];
  const stream = createFrameStream(createFramePool());
  stream.sendFrom(0, (message) => {
    if (message.kind === 'frame') {
      frames.push({ startSample: message.startSample, samples: samplesOf([message.pcm]) });
    }
  });
  const resampler = createResampler(await loadSpeex(resamplerModule()), rateHz);
  const pipeline = createCapturePipeline({ resampler, stream });
  const length = channels[0]?.length ?? 0;
  for (let at = 0; at < length; at += BLOCK_FRAMES) {
    const block = channels.map((channel) => channel.subarray(at, at + BLOCK_FRAMES));
    pipeline.push(block, at);
  }
  pipeline.end();
  return frames;
}

/** Where the frames end: the length of the audio at 16 kHz. */
export function endOf(frames: readonly AudioFrame[]): number {
  const last = frames.at(-1);
  return last ? last.startSample + last.samples.length : 0;
}

/** The frame filled up with silence to what the models take. */
export function wholeFrame({ samples }: AudioFrame): Float32Array {
  if (samples.length === FRAME_SAMPLES) return samples;
  const whole = new Float32Array(FRAME_SAMPLES);
  whole.set(samples);
  return whole;
}

function resamplerModule(): WebAssembly.Module {
  const glue = createRequire(import.meta.url).resolve('@echogarden/speex-resampler-wasm/simd');
  return new WebAssembly.Module(readFileSync(join(dirname(glue), 'speex-resampler-simd.wasm')));
}
