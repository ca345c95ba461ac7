import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openSound } from '../../workers/audio/read-file.ts';

const WAVE = readFileSync('tests/fixtures/speech-en.wav');
/** Of its sound. */
const BYTES = WAVE.length - 44;

/** The fixture with these sizes in its head, and perhaps a chunk behind. */
function waveOf(riff: number, data: number, behind = new Uint8Array()): Blob {
  const bytes = Buffer.concat([WAVE, behind]);
  bytes.writeUInt32LE(riff, 4);
  bytes.writeUInt32LE(data, 40);
  return new Blob([bytes]);
}

const LIST = Buffer.from('LIST\x04\0\0\0INFO', 'latin1');

test.each<[string, Blob, number]>([
  ['as it should be', waveOf(BYTES + 36, BYTES), BYTES],
  ['with a chunk behind', waveOf(BYTES + 48, BYTES, LIST), BYTES],
  ['cut off', waveOf(2 * BYTES + 36, 2 * BYTES), BYTES],
  ['of a stream, with nothing', waveOf(0, 0), BYTES],
  ['of a stream, with a head alone', waveOf(36, 0), BYTES],
  ['of a stream, with the largest', waveOf(0xffff_ffff, 0xffff_ffff), BYTES],
  ['of a stream, with half of that', waveOf(0x7fff_ffff, 0x7fff_ff00), BYTES],
  ['of its first seconds', waveOf(32_036, 32_000), BYTES],
  ['right for the sound alone', waveOf(0, BYTES), BYTES],
])('a wave file whose sizes are %s is heard to its end', async (what, file, expected) => {
  const sound = await openSound(file, Promise.resolve(null));
  let bytes = 0;
  for await (const piece of sound.pieces(0)) bytes += (piece.bytes?.byteLength ?? 44) - 44;
  expect(bytes).toBe(expected);
  expect(sound.isWhole()).toBe(what !== 'cut off');
});

test.each([
  ['a rate', 24, 4, [0, 1, 3_000_000, 0xffff_ffff]],
  ['channels', 22, 2, [0, 33, 65_535]],
] as const)('a wave file with %s that cannot be is refused', async (_, at, length, values) => {
  for (const value of values) {
    const bytes = Buffer.from(WAVE);
    bytes.writeUIntLE(value, at, length);
    await expect(openSound(new Blob([bytes]), Promise.resolve(null))).rejects.toThrow('unreadable');
  }
});
