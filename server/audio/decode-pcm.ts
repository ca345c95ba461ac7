import createSpeexModule, { type SpeexModule } from '@echogarden/speex-resampler-wasm/simd';
import { type AudioSample, AudioSampleSink, type InputAudioTrack } from 'mediabunny';
import { SAMPLE_RATE_HZ } from '../../src/core/audio/audio-format.ts';
import { type ByteAccount, downMix, type SampleCollector } from './decoded-audio.ts';

/** Changes the rate of a mono stream block by block; the phase carries over, so nothing drifts. */
type Resampler = {
  /** The output this block makes available; the first blocks give less, `flush` gives it back. */
  process(block: Float32Array): Float32Array;
  /** The samples that were still inside the filter. Call once, at the end. */
  flush(): Float32Array;
  dispose(): void;
};

/** Speex's scale is 0 to 10; 7 keeps aliases 90 dB down, far below a microphone's noise. */
const QUALITY = 7;
const BLOCK_SAMPLES = 4_096;
const FLOAT_BYTES = 4;

let speexModule: Promise<SpeexModule> | null = null;

/** A resampler from one rate to another, both in Hz and above 0. Call `dispose` when done. */
async function createResampler(fromHz: number, toHz: number): Promise<Resampler> {
  speexModule ??= createSpeexModule();
  const speex = await speexModule;
  const outCapacity = Math.ceil((BLOCK_SAMPLES * toHz) / fromHz) + 64;

  const lengths = speex._malloc(2 * FLOAT_BYTES);
  const input = speex._malloc(BLOCK_SAMPLES * FLOAT_BYTES);
  const output = speex._malloc(outCapacity * FLOAT_BYTES);
  const state = speex._speex_resampler_init(1, fromHz, toHz, QUALITY, lengths);
  const free = () => {
    for (const address of [lengths, input, output]) speex._free(address);
  };
  if (state === 0) {
    free();
    throw new Error(`cannot resample from ${fromHz} to ${toHz} Hz`);
  }
  // Without this the output would begin with the filter's own delay.
  speex._speex_resampler_skip_zeros(state);

  /** Feeds at most one block; says how much was taken and what came out. */
  function step(block: Float32Array): { taken: number; made: Float32Array } {
    speex.HEAPF32.set(block, input / FLOAT_BYTES);
    speex.HEAPU32[lengths / FLOAT_BYTES] = block.length;
    speex.HEAPU32[lengths / FLOAT_BYTES + 1] = outCapacity;
    const code = speex._speex_resampler_process_float(
      state,
      0,
      input,
      lengths,
      output,
      lengths + FLOAT_BYTES,
    );
    if (code !== 0) throw new Error(`the resampler failed with code ${code}`);
    const taken = speex.HEAPU32[lengths / FLOAT_BYTES] ?? 0;
    const madeLength = speex.HEAPU32[lengths / FLOAT_BYTES + 1] ?? 0;
    const made = speex.HEAPF32.slice(output / FLOAT_BYTES, output / FLOAT_BYTES + madeLength);
    return { taken, made };
  }

  function process(block: Float32Array): Float32Array {
    const made: Float32Array[] = [];
    for (let start = 0; start < block.length; ) {
      const result = step(block.subarray(start, start + BLOCK_SAMPLES));
      if (result.taken === 0 && result.made.length === 0) throw new Error('the resampler is stuck');
      start += result.taken;
      made.push(result.made);
    }
    return concatenate(made);
  }

  return {
    process,
    flush: () => process(new Float32Array(speex._speex_resampler_get_input_latency(state))),
    dispose() {
      speex._speex_resampler_destroy(state);
      free();
    },
  };
}

function concatenate(blocks: readonly Float32Array[]): Float32Array {
  const whole = new Float32Array(blocks.reduce((sum, block) => sum + block.length, 0));
  let offset = 0;
  for (const block of blocks) {
    whole.set(block, offset);
    offset += block.length;
  }
  return whole;
}

/** The rates of microphones and sound cards; outside of these the header is damaged. */
const MIN_RATE_HZ = 4_000;
const MAX_RATE_HZ = 384_000;
const MAX_CHANNELS = 32;

/** Takes decoded sound at whatever rate it has, and hands it on as 16 kHz mono. */
export type MonoSink = ReturnType<typeof createMonoSink>;

/**
 * A sink into `collector`. A stream may change its rate in the middle: the filter is then emptied
 * and another one takes over. Call `finish` at the end, and `dispose` always.
 */
export function createMonoSink(collector: SampleCollector) {
  let resampler: Resampler | null = null;
  let currentHz = SAMPLE_RATE_HZ;

  function flush(): void {
    if (resampler === null) return;
    collector.add(resampler.flush());
    resampler.dispose();
    resampler = null;
  }

  return {
    /**
     * Adds samples of `rateHz`, one array a channel. Throws when the rate or the number of channels
     * cannot be.
     */
    async add(channels: readonly Float32Array[], rateHz: number): Promise<void> {
      requirePlausible(rateHz, channels.length);
      if (rateHz !== currentHz) {
        flush();
        currentHz = rateHz;
        resampler =
          rateHz === SAMPLE_RATE_HZ ? null : await createResampler(rateHz, SAMPLE_RATE_HZ);
      }
      const mono = downMix(channels);
      collector.add(resampler === null ? mono : resampler.process(mono));
    },
    /** Hands on what is still inside the filter. */
    finish: flush,
    /** Gives the filter back. */
    dispose() {
      resampler?.dispose();
      resampler = null;
    },
  };
}

function requirePlausible(rateHz: number, channels: number): void {
  if (!(rateHz >= MIN_RATE_HZ && rateHz <= MAX_RATE_HZ)) throw new Error(`a rate of ${rateHz} Hz`);
  if (!(channels >= 1 && channels <= MAX_CHANNELS)) throw new Error(`${channels} channels`);
}

/**
 * Decodes an uncompressed track to 16 kHz mono into `sink`. Throws when its rate or number of
 * channels cannot be, when the container breaks off or when the same bytes come again.
 */
export async function decodePcm(
  track: InputAudioTrack,
  account: ByteAccount,
  sink: MonoSink,
): Promise<void> {
  requirePlausible(await track.getSampleRate(), await track.getNumberOfChannels());
  for await (const sample of new AudioSampleSink(track).samples()) {
    // At least a byte for each.
    account.take(sample.numberOfFrames * sample.numberOfChannels);
    const channels = channelsOf(sample);
    const { sampleRate } = sample;
    sample.close();
    await sink.add(channels, sampleRate);
  }
}

function channelsOf(sample: AudioSample): Float32Array[] {
  return Array.from({ length: sample.numberOfChannels }, (_, planeIndex) => {
    const plane = new Float32Array(sample.numberOfFrames);
    sample.copyTo(plane, { planeIndex, format: 'f32-planar' });
    return plane;
  });
}
