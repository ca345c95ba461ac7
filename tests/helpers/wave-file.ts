/** A 16-bit PCM wave file of the given channels, each -1..1 and as long as the first. */
export function waveFile(rateHz: number, ...channels: readonly Float32Array[]): Uint8Array {
  const frames = channels[0]?.length ?? 0;
  const blockBytes = 2 * channels.length;
  const dataBytes = frames * blockBytes;
  const file = Buffer.alloc(44 + dataBytes);
  file.write('RIFF', 0, 'ascii');
  file.writeUInt32LE(36 + dataBytes, 4);
  file.write('WAVEfmt ', 8, 'ascii');
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(channels.length, 22);
  file.writeUInt32LE(rateHz, 24);
  file.writeUInt32LE(rateHz * blockBytes, 28);
  file.writeUInt16LE(blockBytes, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36, 'ascii');
  file.writeUInt32LE(dataBytes, 40);
  for (let frame = 0; frame < frames; frame++) {
    channels.forEach((channel, at) => {
      const value = Math.round(channel[frame]! * 32_767);
      file.writeInt16LE(value, 44 + frame * blockBytes + 2 * at);
    });
  }
  return file;
}

/** `seconds` of a sine of `toneHz` at half of full scale. */
export function tone(toneHz: number, rateHz: number, seconds: number): Float32Array {
  return Float32Array.from(
    { length: Math.round(rateHz * seconds) },
    (_, index) => 0.5 * Math.sin((2 * Math.PI * toneHz * index) / rateHz),
  );
}
