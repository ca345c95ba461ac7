import type { SoundPackets } from '../../src/core/audio/audio-types.ts';

/** Packets as they are kept: one after the other, and how large each is. */
export function joinPackets(packets: readonly Uint8Array[]): Pick<SoundPackets, 'bytes' | 'sizes'> {
  const sizes = packets.map(({ byteLength }) => byteLength);
  const bytes = new Uint8Array(sizes.reduce((sum, size) => sum + size, 0));
  let offset = 0;
  for (const packet of packets) {
    bytes.set(packet, offset);
    offset += packet.byteLength;
  }
  return { bytes: bytes.buffer, sizes };
}
