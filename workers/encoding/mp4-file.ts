import { Mp4OutputFormat } from 'mediabunny';
import type { EncodedPackets } from './encode-packets.ts';
import { writeFile } from './packet-file.ts';

/** AAC packets as an MP4 file. In a module of its own, loaded when it is first needed. */
export function writeMp4(packets: EncodedPackets): Promise<ArrayBuffer> {
  return writeFile(packets, new Mp4OutputFormat({ fastStart: 'in-memory' }), 'aac');
}
