import { type AudioSample, AudioSampleSink, type InputAudioTrack } from 'mediabunny';
import { SAMPLE_RATE_HZ } from '../../src/core/audio/audio-format.ts';
import type { ByteAccount } from './byte-account.ts';
import { downMix } from './down-mix.ts';
import { createResampler, type Resampler } from './resample.ts';
import type { SampleCollector } from './sample-collector.ts';

/** What microphones and sound cards know; outside it the header is damaged. */
const MIN_RATE_HZ = 4_000;
const MAX_RATE_HZ = 384_000;
const MAX_CHANNELS = 32;

/**
 * Decodes an uncompressed track to 16 kHz mono into `collector`. Throws when its rate or number of
 * channels cannot be, when the container breaks off or when the same bytes come again.
 */
export async function decodePcm(
  track: InputAudioTrack,
  account: ByteAccount,
  collector: SampleCollector,
): Promise<void> {
  const [rateHz, channels] = [await track.getSampleRate(), await track.getNumberOfChannels()];
  if (!(rateHz >= MIN_RATE_HZ && rateHz <= MAX_RATE_HZ)) throw new Error(`a rate of ${rateHz} Hz`);
  if (!(channels >= 1 && channels <= MAX_CHANNELS)) throw new Error(`${channels} channels`);

  const resampler =
    rateHz === SAMPLE_RATE_HZ ? null : await createResampler(rateHz, SAMPLE_RATE_HZ);
  try {
    await decodeSamples(track, resampler, account, collector);
  } finally {
    resampler?.dispose();
  }
}

async function decodeSamples(
  track: InputAudioTrack,
  resampler: Resampler | null,
  account: ByteAccount,
  collector: SampleCollector,
): Promise<void> {
  for await (const sample of new AudioSampleSink(track).samples()) {
    // At least a byte for each.
    account.take(sample.numberOfFrames * sample.numberOfChannels);
    const mono = downMix(channelsOf(sample));
    sample.close();
    collector.add(resampler === null ? mono : resampler.process(mono));
  }
  if (resampler !== null) collector.add(resampler.flush());
}

function channelsOf(sample: AudioSample): Float32Array[] {
  return Array.from({ length: sample.numberOfChannels }, (_, planeIndex) => {
    const plane = new Float32Array(sample.numberOfFrames);
    sample.copyTo(plane, { planeIndex, format: 'f32-planar' });
    return plane;
  });
}
