import fc from 'fast-check';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { ApiError } from '../../../server/api-error.ts';
import { decodeAudio } from '../../../server/audio/decode-audio.ts';
import { createWorkerDecoder, type WorkerDecoder } from '../../../server/audio/worker-decoder.ts';
import { systemClock } from '../../../server/system-clock.ts';
import { fixture } from '../../helpers/running-server.ts';

let decoder: WorkerDecoder;
afterEach(() => decoder?.dispose());

const never = new AbortController().signal;
const decode = (file: Uint8Array, signal = never) => decoder.decode(file, 10_000, signal);

/** A WebM whose demuxing takes for ever: cut off, and one byte of its header is wrong. */
function endlessFile(): Uint8Array {
  const file = fixture('speech-en.webm').slice(0, 8_000);
  file[48] = 155;
  return file;
}

/** Without the samples, which would fill the screen when a test fails. */
const outcome = async (file: Uint8Array) => (await decode(file)).complete;

test('gives the very samples that decoding in place gives, from one thread to the next file', async () => {
  decoder = createWorkerDecoder({ clock: systemClock });
  decoder.warmUp();
  for (const name of ['speech-en.webm', 'speech-en.wav']) {
    expect(await decode(fixture(name))).toEqual(await decodeAudio(fixture(name), 10_000));
  }
}, 20_000);

test('refuses what decoding in place refuses, and goes on', async () => {
  decoder = createWorkerDecoder({ clock: systemClock });
  await expect(decode(fixture('speech-en-aac.mp4'))).rejects.toMatchObject({
    status: 415,
    code: 'audio_unsupported',
    message: expect.stringContaining('AAC'),
  });
  await expect(outcome(fixture('speech-en.ogg'))).resolves.toBe(true);
}, 20_000);

test('gives up a file that takes for ever, while others are decoded and after', async () => {
  decoder = createWorkerDecoder({ clock: systemClock, timeLimitMs: 1_000 });
  const endless = expect(outcome(endlessFile())).rejects.toMatchObject({ code: 'audio_corrupted' });
  await expect(outcome(fixture('speech-en.wav'))).resolves.toBe(true);
  await endless;
  await expect(outcome(fixture('speech-en.wav'))).resolves.toBe(true);
}, 20_000);

test('decodes a few at once and the others in turn', async () => {
  decoder = createWorkerDecoder({ clock: systemClock, timeLimitMs: 1_000, maxThreads: 1 });
  const order: string[] = [];
  const leaving = new AbortController();
  const endless = decode(endlessFile()).catch(() => order.push('endless'));
  const lost = decode(fixture('speech-en.wav'), leaving.signal);
  const waiting = decode(fixture('speech-en.wav')).then(() => order.push('waiting'));
  leaving.abort(new Error('gone'));
  await expect(lost).rejects.toThrow('gone');
  await Promise.all([endless, waiting]);
  expect(order).toEqual(['endless', 'waiting']);
}, 20_000);

test('stops at once when nobody wants the audio any more', async () => {
  decoder = createWorkerDecoder({ clock: systemClock });
  const leaving = new AbortController();
  const lost = decode(endlessFile(), leaving.signal);
  leaving.abort(new Error('gone'));
  await expect(lost).rejects.toThrow('gone');
  await expect(decode(fixture('speech-en.wav'), leaving.signal)).rejects.toThrow('gone');
});

test('ends its threads, and what they were at, when it is disposed of', async () => {
  decoder = createWorkerDecoder({ clock: systemClock });
  const lost = expect(decode(endlessFile())).rejects.toThrow('thread');
  await decoder.dispose();
  await lost;
});

describe('damaged files', () => {
  const shared = createWorkerDecoder({ clock: systemClock, timeLimitMs: 2_000 });
  afterAll(() => shared.dispose());

  test.each(['wav', 'webm', 'mp4', 'ogg'])(
    '%s with bytes changed or cut off is read or refused, never more',
    async (type) => {
      const whole = fixture(`speech-en.${type}`).slice(0, 20_000);
      const wound = fc.record({
        length: fc.oneof(fc.constant(whole.length), fc.nat({ max: whole.length })),
        // Headers are where the harm is.
        changes: fc.array(
          fc.tuple(
            fc.oneof(fc.nat({ max: 400 }), fc.nat({ max: whole.length - 1 })),
            fc.nat({ max: 255 }),
          ),
          { maxLength: 4 },
        ),
      });
      await fc.assert(
        fc.asyncProperty(wound, async ({ length, changes }) => {
          const file = whole.slice(0, length);
          for (const [at, value] of changes) file[at] = value;
          try {
            const { samples } = await shared.decode(file, 10_000, never);
            expect(samples.every((sample) => Math.abs(sample) <= 1)).toBe(true);
          } catch (error) {
            expect(error).toBeInstanceOf(ApiError);
            expect([413, 415, 422]).toContain((error as ApiError).status);
          }
        }),
        { seed: 4_711, numRuns: 50 },
      );
    },
    30_000,
  );
});
