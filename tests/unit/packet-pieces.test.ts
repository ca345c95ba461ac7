import { readFileSync } from 'node:fs';
import { ALL_FORMATS, BufferSource, Input } from 'mediabunny';
import { describe, expect, test } from 'vitest';
import { decodeAudio } from '../../server/audio/decode-audio.ts';
import { findProgram } from '../../server/core/system.ts';
import { packedType, packetPieces } from '../../workers/audio/packet-pieces.ts';

const ffmpegPath = findProgram('ffmpeg', process.env.PATH ?? '');
const LIMITS = { mostS: 1.5, searchS: 0.5 };

async function trackOf(name: string) {
  const bytes = readFileSync(`tests/fixtures/speech-en${name}`);
  const input = new Input({ formats: ALL_FORMATS, source: new BufferSource(bytes) });
  const track = await input.getPrimaryAudioTrack();
  return { bytes, track: track! };
}

async function all<T>(values: AsyncIterable<T>): Promise<readonly T[]> {
  const list: T[] = [];
  for await (const value of values) list.push(value);
  return list;
}

async function decoded(file: Uint8Array): Promise<Float32Array> {
  const { samples, complete } = await decodeAudio(file, 600_000, { ffmpegPath });
  expect(complete).toBe(true);
  return samples;
}

/**
 * The best correlation of two sounds near these samples, -1 to 1: encoders add a delay of their
 * own.
 */
function likeness(one: Float32Array, from: number, other: Float32Array, at: number): number {
  const scores = Array.from({ length: 4_801 }, (_, index) => {
    const shift = index - 2_400;
    let [both, first, second] = [0, 1e-9, 1e-9];
    for (let n = 0; n < 3_200; n += 4) {
      const a = one[from + n] ?? 0;
      const b = other[at + shift + n] ?? 0;
      both += a * b;
      first += a * a;
      second += b * b;
    }
    return both / Math.sqrt(first * second);
  });
  return Math.max(...scores);
}

// This encoder has decoders make up what is noise, anew each time.
const LEAST_LIKE: Readonly<Record<string, number>> = { 'audio/mp4': 0.5 };

describe.each<[string, string, boolean]>([
  ['.mp3', 'audio/mpeg', false],
  ['.flac', 'audio/flac', false],
  ['.ogg', 'audio/ogg', false],
  ['.webm', 'audio/ogg', false],
  ['-aac.mp4', 'audio/mp4', true],
  ['-vorbis.ogg', 'audio/ogg', true],
])('a file that nobody here decodes, speech-en%s', (name, type, needsFfmpeg) => {
  const isOff = needsFfmpeg && ffmpegPath === null;

  test.skipIf(isOff)('is cut into files of its packets: nothing is left out', async () => {
    const { bytes, track } = await trackOf(name);
    expect(packedType(track)).toBe(type);
    const whole = await decoded(bytes);
    const pieces = await all(packetPieces(track, 0, LIMITS));
    expect(pieces.length).toBeGreaterThanOrEqual(3);
    let untilMs = 0;
    for (const { bytes: file, parts, endMs } of pieces) {
      const startMs = parts[0]!.startMs;
      // It begins a moment before the last one ends, and never behind it.
      expect(startMs - untilMs).toBeLessThan(1);
      expect(untilMs - startMs).toBeLessThan(200);
      expect(endMs - startMs).toBeLessThan(1_700);
      const sound = await decoded(new Uint8Array(file!));
      const middle = Math.floor((sound.length - 3_200) / 2);
      const like = likeness(sound, middle, whole, middle + Math.round(16 * startMs));
      expect(like).toBeGreaterThan(LEAST_LIKE[type] ?? 0.9);
      untilMs = endMs;
    }
    expect(Math.abs(untilMs - whole.length / 16)).toBeLessThan(150);
  });

  test.skipIf(isOff)('goes on from where a piece ended', async () => {
    const { track } = await trackOf(name);
    const [first, second] = await all(packetPieces(track, 0, LIMITS));
    const [next] = await all(packetPieces(track, first!.endMs, LIMITS));
    expect(Math.abs(next!.parts[0]!.startMs - first!.endMs)).toBeLessThan(130);
    expect(next!.endMs).toBeGreaterThan(second!.parts[0]!.startMs);
  });
});
