import { WebMOutputFormat } from 'mediabunny';
import type { SoundPackets } from '../../src/core/audio/audio-types.ts';
import { writeFile } from './packet-file.ts';

/** Opus packets as a WebM file. In a module of its own, loaded when it is first needed. */
export function writeWebm(
  parts: readonly SoundPackets[],
  sampleRateHz: number,
): Promise<ArrayBuffer> {
  return writeFile(parts, { format: new WebMOutputFormat(), codec: 'opus', sampleRateHz });
}
