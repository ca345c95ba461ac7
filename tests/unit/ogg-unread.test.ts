import { expect, test } from 'vitest';
import { isOggUnread } from '../../workers/audio/is-cut.ts';

/** A page with nothing but its place in it; of 255 segments it is of 60 kB. */
function page(number: number, flags = 0, segments = 255): Uint8Array {
  const bytes = new Uint8Array(27 + segments + segments * 230);
  bytes.set(Buffer.from('OggS'));
  bytes[5] = flags;
  new DataView(bytes.buffer).setUint32(18, number, true);
  bytes[26] = segments;
  return bytes.fill(230, 27, 27 + segments);
}

const WHOLE = [page(0, 2, 1), ...Array.from({ length: 60 }, (_, at) => page(at + 1))];
const unread = (parts: readonly Uint8Array[]) =>
  isOggUnread(new Blob(parts as Uint8Array<ArrayBuffer>[]));

test('an Ogg file of one recording is read to its end, and so is any other file', async () => {
  expect(await unread(WHOLE)).toBe(false);
  expect(await unread(WHOLE.map((part) => part.with(18, 0).with(19, 0)))).toBe(false);
  expect(await unread([Buffer.from('RIFF')])).toBe(false);
  expect(await unread([])).toBe(false);
});

test.each<[string, readonly Uint8Array[]]>([
  ['another recording is behind', [...WHOLE, ...WHOLE]],
  ['a page is missing', WHOLE.toSpliced(40, 1)],
  ['a page is cut', WHOLE.with(60, WHOLE[60]!.subarray(0, -1))],
  ['the head of a page is cut', WHOLE.with(60, WHOLE[60]!.subarray(0, 20))],
  ['something else is between', WHOLE.toSpliced(40, 0, new Uint8Array(50))],
  ['something else is behind', [...WHOLE, Buffer.from('TAG')]],
])('an Ogg file is not read to its end where %s', async (_, parts) => {
  expect(await unread(parts)).toBe(true);
});
