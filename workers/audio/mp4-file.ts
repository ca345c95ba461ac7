import { Mp4OutputFormat } from 'mediabunny';
import type { SoundPackets } from '../../src/core/audio/audio-types.ts';
import { writeFile } from './packet-file.ts';

/** AAC packets as an MP4 file. In a module of its own, loaded when it is first needed. */
export function writeMp4(
  parts: readonly SoundPackets[],
  sampleRateHz: number,
): Promise<ArrayBuffer> {
  return writeFile(parts, {
    format: new Mp4OutputFormat({ fastStart: 'in-memory' }),
    codec: 'aac',
    sampleRateHz,
  });
}
