import { AudioSampleSink, BufferSource, Input, type InputAudioTrack, MP4, WEBM } from 'mediabunny';
import { concatSamples } from '../../src/core/audio/concat-samples.ts';
import { DikteraError } from '../../src/core/errors.ts';
import { resample } from './resample.ts';

/** The samples of a WebM or MP4 file, mono at 16 kHz. */
export async function readCompressed(bytes: ArrayBuffer): Promise<Float32Array> {
  const input = new Input({ formats: [WEBM, MP4], source: new BufferSource(bytes) });
  try {
    const track = await input.getPrimaryAudioTrack();
    if (!track) throw new DikteraError('encoding-failed', 'The file has no audio');
    return await readTrack(track);
  } finally {
    input.dispose();
  }
}

async function readTrack(track: InputAudioTrack): Promise<Float32Array> {
  const parts: Float32Array[] = [];
  let rateHz = 0;
  for await (const sample of new AudioSampleSink(track).samples()) {
    rateHz = sample.sampleRate;
    const part = new Float32Array(sample.numberOfFrames);
    sample.copyTo(part, { planeIndex: 0, format: 'f32-planar' });
    sample.close();
    parts.push(part);
  }
  if (rateHz === 0) throw new DikteraError('encoding-failed', 'The file holds no sound');
  return resample(concatSamples(parts), rateHz);
}
