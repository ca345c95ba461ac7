import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { decodeAudio } from '../../../server/audio/decode-audio.ts';
import { findProgram } from '../../../server/core/system.ts';
import { decoderPool, SOME_TURN } from '../../helpers/decoder-pool.ts';
import { compareSounds } from '../../helpers/likeness.ts';
import { fixture } from '../../helpers/running-server.ts';

const MAX_MS = 600_000;
const SPEECH_SAMPLES = 70_997;

const bytes = (text: string) => Buffer.from(text, 'latin1');
const speech = async () => (await decodeAudio(fixture('speech-en.wav'), MAX_MS)).samples;

/** An ID3 tag around anything, as long as it says. */
function id3(content: Uint8Array): Buffer {
  const size = Buffer.alloc(4);
  for (let at = 0; at < 4; at++) size[at] = (content.length >> (7 * (3 - at))) & 0x7f;
  return Buffer.concat([bytes('ID3\x04\0\0'), size, content]);
}

describe('an MP3 file', () => {
  const FRAME_MS = 36;
  const mp3 = () => Buffer.from(fixture('speech-en.mp3'));
  const whole = () => decodeAudio(mp3(), MAX_MS);

  test('is what was said, from the first sample on', async () => {
    const { samples, complete } = await whole();
    expect(complete).toBe(true);
    expect(Math.abs(samples.length - SPEECH_SAMPLES)).toBeLessThan(16 * FRAME_MS * 2);
    const { correlation, lagSamples } = compareSounds(await speech(), samples, 40);
    expect(correlation).toBeGreaterThan(0.98);
    expect(Math.abs(lagSamples)).toBeLessThanOrEqual(1);
  });

  test.each<[string, (file: Buffer) => Uint8Array]>([
    [
      'a tag with what looks like a frame in it',
      (file) => Buffer.concat([id3(file.subarray(0, 4_000)), file]),
    ],
    [
      'two tags and zeros',
      (file) => Buffer.concat([id3(bytes('a')), id3(bytes('b')), Buffer.alloc(900), file]),
    ],
    ['an old tag behind', (file) => Buffer.concat([file, bytes('TAG'.padEnd(128, ' '))])],
    [
      'a tag of the other kind behind',
      (file) => Buffer.concat([file, bytes('APETAGEX'.padEnd(64, '\x01'))]),
    ],
    ['zeros behind', (file) => Buffer.concat([file, Buffer.alloc(500)])],
  ])('with %s is the same', async (_, change) => {
    const { samples, complete } = await decodeAudio(change(mp3()), MAX_MS);
    expect(complete).toBe(true);
    expect(samples).toEqual((await whole()).samples);
  });

  test('that was cut says so, and holds all before the cut', async () => {
    const all = (await whole()).samples;
    for (const part of [0.2, 0.5, 0.9, 0.999]) {
      const { samples, complete } = await decodeAudio(
        mp3().subarray(0, mp3().length * part),
        MAX_MS,
      );
      expect(complete).toBe(false);
      expect(samples).toEqual(all.subarray(0, samples.length));
      expect(samples.length / all.length).toBeGreaterThan(part - 0.06);
    }
  });

  test('that begins in the middle of a frame is heard', async () => {
    const { samples, complete } = await decodeAudio(mp3().subarray(5_000), MAX_MS);
    expect(samples.length).toBeGreaterThan(40_000);
    expect(complete).toBe(false);
  });

  test('with rubbish in the middle is heard on both sides, and says so', async () => {
    const file = mp3();
    const rubbish = Buffer.from(file.subarray(0, 700).map((byte) => byte & 0x7f));
    const { samples, complete } = await decodeAudio(
      Buffer.concat([file.subarray(0, 6_000), rubbish, file.subarray(6_000)]),
      MAX_MS,
    );
    expect(complete).toBe(false);
    expect(Math.abs(samples.length - (await whole()).samples.length)).toBeLessThan(
      16 * FRAME_MS * 3,
    );
  });

  test('behind another one is heard, too', async () => {
    const { samples, complete } = await decodeAudio(
      Buffer.concat([mp3(), id3(bytes('second')), mp3()]),
      MAX_MS,
    );
    expect(complete).toBe(true);
    expect(samples.length).toBeGreaterThan(1.98 * SPEECH_SAMPLES);
  });
});

describe('a FLAC file', () => {
  const flac = () => Buffer.from(fixture('speech-en.flac'));

  test('is the same, sample for sample', async () => {
    const { samples, complete } = await decodeAudio(flac(), MAX_MS);
    expect(complete).toBe(true);
    expect(samples).toEqual(await speech());
  });

  test('that does not know its length, as streams do not, is whole', async () => {
    const file = flac();
    file.writeUIntBE(0, 8 + 14, 4);
    file[8 + 13]! &= 0xf0;
    const { samples, complete } = await decodeAudio(file, MAX_MS);
    expect(complete).toBe(true);
    expect(samples).toEqual(await speech());
  });

  test('with tags around it is whole', async () => {
    const file = Buffer.concat([id3(bytes('fLaC'.repeat(9))), flac(), bytes('TAG'.padEnd(128))]);
    const { samples, complete } = await decodeAudio(file, MAX_MS);
    expect(complete).toBe(true);
    expect(samples).toEqual(await speech());
  });

  test('that was cut says so, also between two frames', async () => {
    const all = await speech();
    for (const bytes of [20_000, 40_000, flac().length - 1]) {
      const { samples, complete } = await decodeAudio(flac().subarray(0, bytes), MAX_MS);
      expect(complete).toBe(false);
      expect(samples.length).toBeGreaterThan(1_000);
      expect(samples).toEqual(all.subarray(0, samples.length));
    }
  });

  test('that was cut before its sound is no empty one', async () => {
    const open = flac();
    open.writeUIntBE(0, 8 + 14, 4);
    open[8 + 13]! &= 0xf0;
    for (const bytes of [4, 10, 30, 41, 43]) {
      const cut = decodeAudio(open.subarray(0, bytes), MAX_MS);
      await expect(cut).rejects.toMatchObject({ status: 422 });
    }
  });

  test('with a wrong bit loses one frame, and says so', async () => {
    const file = flac();
    file[file.length >> 1]! ^= 4;
    const { samples, complete } = await decodeAudio(file, MAX_MS);
    expect(complete).toBe(false);
    expect(SPEECH_SAMPLES - samples.length).toBeLessThanOrEqual(4_608);
    expect(samples.length).toBeLessThan(SPEECH_SAMPLES);
  });
});

/** Writes bits, the highest first. */
function bitWriter() {
  let text = '';
  const writer = {
    bits(value: number | bigint, count: number) {
      text += BigInt.asUintN(count, BigInt(value)).toString(2).padStart(count, '0');
      return writer;
    },
    rice(value: number, parameter: number) {
      const folded = value < 0 ? -2 * value - 1 : 2 * value;
      text += `${'0'.repeat(Math.floor(folded / 2 ** parameter))}1`;
      return writer.bits(folded % 2 ** parameter, parameter);
    },
    done(): Buffer {
      const padded = text.padEnd(Math.ceil(text.length / 8) * 8, '0');
      return Buffer.from(padded.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)));
    },
  };
  return writer;
}

function crc(data: Uint8Array, bits: number, polynomial: number): number {
  let sum = 0;
  for (const byte of data) {
    sum ^= byte << (bits - 8);
    for (let bit = 0; bit < 8; bit++) {
      sum = (sum & (1 << (bits - 1))) === 0 ? sum << 1 : (sum << 1) ^ polynomial;
    }
    sum &= 2 ** bits - 1;
  }
  return sum;
}

describe('frames of FLAC that an encoder seldom writes', () => {
  const BITS = 16;
  type Writer = ReturnType<typeof bitWriter>;

  /** A file of one frame of 16 kHz. `layout` is the code of its channels. */
  function flacOf(count: number, layout: number, write: (writer: Writer) => void): Buffer {
    const info = bitWriter().bits(16, 16).bits(65_535, 16).bits(0, 24).bits(0, 24);
    info
      .bits(16_000, 20)
      .bits(1, 3)
      .bits(BITS - 1, 5)
      .bits(count, 36)
      .bits(0, 128);
    const head = bitWriter().bits(0xfff8, 16).bits(7, 4).bits(5, 4).bits(layout, 4).bits(4, 3);
    head
      .bits(0, 1)
      .bits(0, 8)
      .bits(count - 1, 16);
    const headBytes = head.done();
    const body = bitWriter();
    write(body);
    const frame = Buffer.concat([headBytes, Buffer.from([crc(headBytes, 8, 0x07)]), body.done()]);
    const sum = bitWriter()
      .bits(crc(frame, 16, 0x8005), 16)
      .done();
    return Buffer.concat([bytes('fLaC\x80\0\0\x22'), info.done(), frame, sum]);
  }

  const decoded = async (file: Uint8Array) => {
    const { samples, complete } = await decodeAudio(file, MAX_MS);
    expect(complete).toBe(true);
    return [...samples].map((sample) => Math.round(sample * 2 ** (BITS - 1) * 2) / 2);
  };
  const VALUES = [0, 100, -32_768, 32_767, 5, -5, 1_000, -1];
  const verbatim = (writer: Writer, values: readonly number[], bits = BITS) => {
    writer.bits(1 << 1, 8);
    for (const value of values) writer.bits(value, bits);
  };

  test('constant, and as it is', async () => {
    expect(await decoded(flacOf(8, 0, (w) => w.bits(0, 8).bits(-77, BITS)))).toEqual(
      Array(8).fill(-77),
    );
    expect(await decoded(flacOf(8, 0, (w) => verbatim(w, VALUES)))).toEqual(VALUES);
  });

  test('with zeros at the end of each sample', async () => {
    const file = flacOf(4, 0, (writer) => {
      writer.bits((1 << 1) | 1, 8).bits(1, 3);
      for (const value of [1, -2, 3, 100]) writer.bits(value, BITS - 3);
    });
    expect(await decoded(file)).toEqual([8, -16, 24, 800]);
  });

  test.each([0, 1, 2, 3, 4])('foretold by the rule of order %i, in parts', async (order) => {
    const values = Array.from({ length: 16 }, (_, at) => Math.round(9_000 * Math.sin(at / 2)));
    const rules = [[], [1], [2, -1], [3, -3, 1], [4, -6, 4, -1]];
    const left = values.map((value, at) =>
      rules[order]!.reduce((sum, by, back) => sum - by * (values[at - 1 - back] ?? 0), value),
    );
    const file = flacOf(16, 0, (writer) => {
      writer.bits((8 + order) << 1, 8);
      for (const value of values.slice(0, order)) writer.bits(value, BITS);
      writer.bits(1, 2).bits(1, 4);
      writer.bits(9, 5);
      for (const value of left.slice(order, 8)) writer.rice(value, 9);
      // The second part as plain numbers.
      writer.bits(31, 5).bits(20, 5);
      for (const value of left.slice(8)) writer.bits(value, 20);
    });
    expect(await decoded(file)).toEqual(values);
  });

  test('with a quotient longer than a word', async () => {
    const file = flacOf(4, 0, (writer) => {
      writer
        .bits(8 << 1, 8)
        .bits(0, 2)
        .bits(0, 4)
        .bits(2, 4);
      for (const value of [300, -301, 0, 7]) writer.rice(value, 2);
    });
    expect(await decoded(file)).toEqual([300, -301, 0, 7]);
  });

  test.each<[string, number, (left: number, right: number) => [number, number]]>([
    ['as they are', 1, (left, right) => [left, right]],
    ['left and difference', 8, (left, right) => [left, left - right]],
    ['difference and right', 9, (left, right) => [left - right, right]],
    ['middle and difference', 10, (left, right) => [Math.floor((left + right) / 2), left - right]],
  ])('two channels, %s', async (_, layout, code) => {
    const right = [...VALUES].reverse();
    const coded = VALUES.map((left, at) => code(left, right[at]!));
    const isSide = (channel: number) =>
      layout === 9 ? channel === 0 : layout > 1 && channel === 1;
    const file = flacOf(8, layout, (writer) => {
      for (const channel of [0, 1]) {
        verbatim(
          writer,
          coded.map((pair) => pair[channel]!),
          BITS + (isSide(channel) ? 1 : 0),
        );
      }
    });
    expect(await decoded(file)).toEqual(VALUES.map((left, at) => (left + right[at]!) / 2));
  });
});

const ffmpeg = findProgram('ffmpeg', process.env.PATH ?? '');

describe.skipIf(ffmpeg === null)('what people have, with ffmpeg on the machine', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sound-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const PICTURE = '-f lavfi -i testsrc=d=5:s=64x64:r=5';
  const SPOKEN = join(import.meta.dirname, '../../fixtures/speech-en.wav');

  /** Has ffmpeg make a file of the speech. */
  function made(name: string, how: string, before = ''): Uint8Array {
    const path = join(folder, name);
    const args = `-v error -y ${before} -i ${SPOKEN} ${how} ${path}`.split(' ').filter(Boolean);
    const { status, stderr } = spawnSync(ffmpeg!, args);
    expect(stderr.toString()).toBe('');
    expect(status).toBe(0);
    return readFileSync(path);
  }

  /** A second track of nothing but a tone, longer and louder. */
  const SECOND = '-f lavfi -i sine=d=9:f=440';

  test.each<[string, string, string, string?]>([
    ['an iPhone memo', 'memo.m4a', '-c:a aac -b:a 64k -ar 48000'],
    ['what Safari records', 'safari.mp4', '-c:a aac -movflags frag_keyframe+empty_moov'],
    ['a lossless iPhone memo', 'lossless.m4a', '-c:a alac'],
    ['a lossless memo with its tables first', 'first.m4a', '-c:a alac -movflags +faststart'],
    ['a bare AAC stream', 'a.aac', '-c:a aac -ar 44100 -ac 2'],
    ['a video', 'v.mov', '-c:v mpeg4 -c:a aac -shortest', PICTURE],
    ['a video of a screen', 'v.mkv', '-c:v mpeg4 -c:a libopus', PICTURE],
    [
      'two tracks with sound',
      'two.mkv',
      `${SECOND} -map 0 -map 1 -c:a libopus -disposition:a:1 default`,
    ],
    ['MP3 of changing rate, two channels', 'v.mp3', '-c:a libmp3lame -q:a 3 -ar 48000 -ac 2'],
    ['MP3 in MP4', 'm.mp4', '-c:a libmp3lame -ar 44100'],
    ['MP3 in Matroska', 'm.mkv', '-c:a libmp3lame -ar 22050'],
    ['MP3 in a wave file', 'm.wav', '-c:a libmp3lame -ar 44100'],
    ['FLAC of 24 bits, two channels', 'f.flac', '-ar 48000 -ac 2 -sample_fmt s32 -c:a flac'],
    ['FLAC in Ogg', 'f.ogg', '-c:a flac -f ogg'],
    ['FLAC in MP4', 'f.mp4', '-c:a flac -strict -2'],
    ['Vorbis', 'v.ogg', '-c:a libvorbis -ar 44100'],
    ['Vorbis in WebM', 'v.webm', '-c:a libvorbis'],
    ['Opus of 60 ms', 'o60.ogg', '-c:a libopus -frame_duration 60'],
    ['Opus of 120 ms', 'o120.webm', '-c:a libopus -frame_duration 120 -b:a 200k'],
    ['WebM as a stream, without a length', 's.webm', '-c:a libopus -live 1'],
    ['AIFF', 'a.aiff', ''],
    ['CAF', 'a.caf', ''],
    ['ADPCM', 'a.wav', '-c:a adpcm_ms'],
    ['8 bits', 'u8.wav', '-c:a pcm_u8'],
    ['A-law at 8 kHz', 'alaw.wav', '-c:a pcm_alaw -ar 8000'],
    ['mu-law at 8 kHz', 'mulaw.wav', '-c:a pcm_mulaw -ar 8000'],
    ['floats of 64 bits, six channels', 'f64.wav', '-c:a pcm_f64le -ac 6 -ar 96000'],
    ['Windows Media', 'a.wma', '-c:a wmav2 -ar 44100'],
    ['a transport stream', 'a.ts', '-c:a aac -f mpegts'],
  ])('%s', async (_, name, how, before) => {
    const { samples, complete } = await decodeAudio(made(name, how, before), MAX_MS, {
      ffmpegPath: ffmpeg,
    });
    expect(complete).toBe(true);
    expect(samples.length / SPEECH_SAMPLES).toBeGreaterThan(0.98);
    expect(samples.length / SPEECH_SAMPLES).toBeLessThan(1.06);
    const { correlation } = compareSounds(
      (await speech()).subarray(4_000, 10_000),
      samples.subarray(4_000),
      1_300,
    );
    expect(correlation).toBeGreaterThan(name.includes('law') ? 0.7 : 0.8);
  });

  test('AAC that was cut is heard as far as it goes, and says so', async () => {
    const file = made('cut.mp4', '-c:a aac -movflags +faststart');
    const { samples, complete } = await decodeAudio(file.subarray(0, file.length / 2), MAX_MS, {
      ffmpegPath: ffmpeg,
    });
    expect(complete).toBe(false);
    expect(samples.length / SPEECH_SAMPLES).toBeGreaterThan(0.35);
    expect(samples.length / SPEECH_SAMPLES).toBeLessThan(0.6);
  });

  test('a process with limits decodes it, too', async () => {
    const pool = decoderPool({ size: 1, ffmpegPath: ffmpeg });
    try {
      expect(pool.audioTypes).toContain('audio/mp4;codecs=mp4a.40.2');
      const signal = new AbortController().signal;
      const { samples } = await pool.decode(
        fixture('speech-en-aac.mp4'),
        60_000,
        signal,
        SOME_TURN,
      );
      expect(samples.length / SPEECH_SAMPLES).toBeGreaterThan(0.98);
      const music = pool.decode(fixture('speech-en-aac.mp4'), 1_000, signal, SOME_TURN);
      await expect(music).rejects.toMatchObject({ status: 413, code: 'audio_too_long' });
    } finally {
      await pool.dispose();
    }
  });
});

describe.skipIf(process.platform === 'win32')('an ffmpeg that misbehaves', () => {
  const folder = mkdtempSync(join(tmpdir(), 'no-ffmpeg-'));
  const AAC = fixture('speech-en-aac.mp4');
  afterAll(() => rmSync(folder, { recursive: true }));

  function program(name: string, script: string): string {
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
    return path;
  }

  test.each([
    ['has nothing to say', 'cat >/dev/null'],
    ['ends at once', 'exit 1'],
    ['ends by a signal', 'kill -SEGV $$'],
  ])('that %s leaves an error or silence, and no text', async (_, script) => {
    const path = program('bad', script);
    const heard = await decodeAudio(AAC, 60_000, { ffmpegPath: path }).catch((error: unknown) => {
      expect(error).toMatchObject({ status: 422, code: 'audio_corrupted' });
      return null;
    });
    expect(heard?.samples.length ?? 0).toBe(0);
  });

  test('that says more than was sent is stopped at the limit', async () => {
    const path = program('endless', 'cat /dev/zero');
    const heard = decodeAudio(AAC, 60_000, { ffmpegPath: path });
    await expect(heard).rejects.toMatchObject({ status: 413, code: 'audio_too_long' });
    // Of this one nobody else here reads anything.
    const aiff = decodeAudio(Buffer.from('FORM\0\0\0\0AIFFCOMM'), 60_000, { ffmpegPath: path });
    await expect(aiff).rejects.toMatchObject({ status: 413, code: 'audio_too_long' });
  });

  test('that goes in circles is ended by the system', async () => {
    const path = program('busy', 'while :; do :; done');
    const heard = decodeAudio(AAC, 100, { ffmpegPath: path });
    await expect(heard).rejects.toMatchObject({ status: 422, code: 'audio_corrupted' });
  }, 60_000);

  test('that is not there is no end of the process', async () => {
    const heard = decodeAudio(AAC, 60_000, { ffmpegPath: join(folder, 'nowhere') });
    await expect(heard).rejects.toMatchObject({ status: 422 });
  });
});
