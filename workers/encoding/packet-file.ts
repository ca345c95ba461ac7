import {
  type AudioCodec,
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  Output,
  type OutputFormat,
} from 'mediabunny';
import { DikteraError } from '../../src/core/errors.ts';
import type { EncodedPackets } from './encode-packets.ts';

/** Puts packets into a file of the given format. Rejects with whatever the muxer threw. */
export async function writeFile(
  { chunks, metadata }: EncodedPackets,
  format: OutputFormat,
  codec: AudioCodec,
): Promise<ArrayBuffer> {
  const target = new BufferTarget();
  const output = new Output({ format, target });
  const source = new EncodedAudioPacketSource(codec);
  output.addAudioTrack(source);
  await output.start();
  for (const chunk of chunks) await source.add(EncodedPacket.fromEncodedChunk(chunk), metadata);
  await output.finalize();
  if (!target.buffer) throw new DikteraError('encoding-failed', 'The muxer made no file');
  return target.buffer;
}
