import { WebMOutputFormat } from 'mediabunny';
import type { EncodedPackets } from './encode-packets.ts';
import { writeFile } from './packet-file.ts';

/** Opus packets as a WebM file. In a module of its own, loaded when it is first needed. */
export function writeWebm(packets: EncodedPackets): Promise<ArrayBuffer> {
  return writeFile(packets, new WebMOutputFormat(), 'opus');
}
