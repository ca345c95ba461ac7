import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isUnread } from '../../workers/audio/is-cut.ts';
import { tone, waveFile } from '../helpers/wave-file.ts';

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
  isUnread(new Blob(parts as Uint8Array<ArrayBuffer>[]));

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

const WAVE = waveFile(16_000, tone(440, 16_000, 1));
const DATA = WAVE.subarray(36);

function waveWith(sizes: Readonly<Record<number, number>>, bytes: Uint8Array = WAVE): Uint8Array {
  const changed = Buffer.from(bytes);
  for (const [at, size] of Object.entries(sizes)) changed.writeUInt32LE(size, Number(at));
  return changed;
}

test.each<[string, boolean, readonly Uint8Array[]]>([
  ['of one length', false, [WAVE]],
  ['with words behind its sound', false, [WAVE, Buffer.from('LIST\x04\0\0\0abcd')]],
  ['of a stream', false, [waveWith({ 4: 0xffff_ffff, 40: 0xffff_ffff })]],
  ['whose sizes nobody wrote', false, [waveWith({ 4: 0, 40: 0 })]],
  ['whose sound is said to be a head longer', false, [waveWith({ 40: DATA.length })]],
  ['that was cut off', true, [WAVE.subarray(0, 20_000)]],
  ['with a second chunk of sound', true, [waveWith({ 4: 64_080 }), DATA]],
  ['with another wave file behind', true, [WAVE, WAVE]],
])('a wave file %s: unread is %s', async (_, isLeft, parts) => {
  expect(await unread(parts)).toBe(isLeft);
});

function box(name: string, bytes: number, size = bytes): Uint8Array {
  const made = Buffer.alloc(bytes, 7);
  made.writeUInt32BE(size, 0);
  made.write(name, 4, 'latin1');
  return made;
}

const LONG_BOX = box('mdat', 3_000_000, 1);
new DataView(LONG_BOX.buffer, LONG_BOX.byteOffset).setBigUint64(8, 3_000_000n);

test.each<[string, boolean, readonly Uint8Array[]]>([
  ['of whole boxes', false, [box('ftyp', 24), LONG_BOX, box('moov', 900)]],
  ['whose sound goes to the end', false, [box('ftyp', 24), box('mdat', 500, 0)]],
  ['with padding', false, [box('ftyp', 24), box('mdat', 500), new Uint8Array(40)]],
  ['cut in its sound', true, [box('ftyp', 24), LONG_BOX.subarray(0, 2_999_999)]],
  ['cut in a piece', true, [box('ftyp', 24), box('moof', 90), box('mdat', 80, 90)]],
  ['of QuickTime that was cut', true, [box('wide', 8), box('mdat', 80, 90)]],
])('an MP4 %s: unread is %s', async (_, isLeft, parts) => {
  expect(await unread(parts)).toBe(isLeft);
});

/** The beginning of a film as a browser records it: nobody knows how long anything will be. */
const STREAM = Buffer.from('1a45dfa38018538067ff1f43b675ffa382aaaa1f43b675ffa38401bbbb', 'hex');
const WEBM = readFileSync('tests/fixtures/speech-en.webm');

test.each<[string, boolean, readonly Uint8Array[]]>([
  ['of a known length', false, [WEBM]],
  ['with zeros behind', false, [WEBM, new Uint8Array(5)]],
  ['of a stream', false, [STREAM.subarray(0, -5)]],
  ['of a known length that was cut', true, [WEBM.subarray(0, -1)]],
  ['of a stream that was cut in a block', true, [STREAM]],
  ['of a stream that was cut in a head', true, [STREAM.subarray(0, -4)]],
])('a WebM %s: unread is %s', async (_, isLeft, parts) => {
  expect(await unread(parts)).toBe(isLeft);
});

/** The head of an encoder that counted `frames` and `bytes`, where it wrote them. */
function mp3(length: number, flags: number, ...counts: readonly number[]): Uint8Array {
  const file = Buffer.alloc(length);
  file.set([0xff, 0xfb, 0x90, 0x64]);
  file.write('Xing', 36, 'latin1');
  for (const [at, value] of [flags, ...counts].entries()) file.writeUInt32BE(value, 40 + 4 * at);
  return file;
}

const TAG = Buffer.alloc(10 + 300, 1);
TAG.set(Buffer.from([0x49, 0x44, 0x33, 3, 0, 0, 0, 0, 2, 44]));

test.each<[string, boolean, readonly Uint8Array[]]>([
  ['as long as counted', false, [mp3(5_000, 3, 12, 5_000)]],
  ['with a tag behind', false, [mp3(5_000, 3, 12, 5_000), Buffer.alloc(128)]],
  ['that nobody counted', false, [mp3(5_000, 1, 12)]],
  ['shorter than counted', true, [mp3(4_000, 3, 12, 5_000)]],
  ['shorter, without frames', true, [mp3(4_000, 2, 5_000)]],
  ['shorter, behind a tag', true, [TAG, mp3(4_999, 3, 12, 5_000)]],
  ['whole, behind a tag', false, [TAG, mp3(5_000, 3, 12, 5_000)]],
])('an MP3 %s: unread is %s', async (_, isLeft, parts) => {
  expect(await unread(parts)).toBe(isLeft);
});
