import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeAudio } from '../../../server/audio/decode-audio.ts';
import { decoderPool } from '../../helpers/decoder-pool.ts';
import { FORGETFUL_ENGINE } from '../../helpers/fake-engine.ts';
import { endlessFragment, sameBytesAgain, sizesOfNoBits } from '../../helpers/hostile-mp4.ts';
import {
  element,
  muxed,
  type OpusSpeech,
  opusSpeech,
  packetEnds,
  type WebmForm,
  webmFile,
} from '../../helpers/opus-files.ts';
import {
  fixture,
  postSpeech,
  type RunningServer,
  readJson,
  speechForm,
  startServer,
} from '../../helpers/running-server.ts';
import { seededRandom } from '../../helpers/seeded-random.ts';
import { tone, waveFile } from '../../helpers/wave-file.ts';

describe('kinds of audio', () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startServer({ engine: FORGETFUL_ENGINE });
  });
  afterAll(() => server.close());

  const post = async (file: Uint8Array) => {
    const { status, body } = await postSpeech(server, speechForm(file, {}, 'a'));
    const { durationMs, complete, error } = body;
    return { status, durationMs, complete, message: error?.message };
  };

  const SOUND_BYTES = 32_000;
  const FILE_BYTES = SOUND_BYTES + 44;
  const wave = () => Buffer.from(waveFile(16_000, tone(440, 16_000, 1)));
  const WHOLE = { status: 200, durationMs: 1_000, complete: true };

  function sized(riff: number, data: number, behind: Uint8Array = new Uint8Array(0)): Buffer {
    const file = wave();
    file.writeUInt32LE(riff, 4);
    file.writeUInt32LE(data, 40);
    return Buffer.concat([file, behind]);
  }

  function chunk(name: string, content: string | Uint8Array, bytes?: number): Buffer {
    const body = Buffer.from(content as Uint8Array);
    const head = Buffer.from(`${name}\0\0\0\0`, 'latin1');
    head.writeUInt32LE(bytes ?? body.length, 4);
    return Buffer.concat([head, body]);
  }

  describe('a wave file', () => {
    const SIZES = [
      ...[0, 36, 0x7fff_ffff, 0x7fff_f000, 2_000_000_000, 0x8000_0000, 0x8000_0024, 0xffff_ff00],
      ...[0xffff_fff0, 0xffff_ffff, 0x7fff_ffdb, 0xffff_ffdb],
    ];
    test.each(SIZES)('that was written as a stream, with %i for a size, is whole', async (size) => {
      expect(await post(sized(size, size))).toMatchObject(WHOLE);
      expect(await post(sized((size + 36) % 2 ** 32, size))).toMatchObject(WHOLE);
      expect(await post(sized(0, size))).toMatchObject(WHOLE);
      expect(await post(sized(0xffff_ffff, size))).toMatchObject(WHOLE);
    });

    test.each<[string, Uint8Array]>([
      ['with its size where only that of the whole file is wrong', sized(0, SOUND_BYTES)],
      ['with both sizes those of the file', sized(FILE_BYTES, FILE_BYTES)],
      ['with the size of the file less a head', sized(FILE_BYTES - 8, FILE_BYTES - 8)],
      ['whose size was written before most of it', sized(36 + 3_200, 3_200)],
      ['with the same large size twice', sized(16_777_216, 16_777_216)],
      ['with a list behind', sized(36 + SOUND_BYTES + 12, SOUND_BYTES, chunk('LIST', 'INFO'))],
      ['with a list that is cut off', sized(9, SOUND_BYTES, chunk('LIST', 'INFO', 400))],
      ['with a chunk nobody knows', sized(36, SOUND_BYTES, chunk('abcd', 'abcdef'))],
    ])('%s is whole', async (_, file) => {
      expect(await post(file)).toMatchObject(WHOLE);
    });

    test('that was cut short says so, wherever', async () => {
      for (const cut of [FILE_BYTES - 2, FILE_BYTES - 1_000, 20_000, 2_000]) {
        const answer = await post(wave().subarray(0, cut));
        expect(answer).toMatchObject({ status: 200, complete: false });
        expect(answer.durationMs).toBe(Math.round((cut - 44) / 32));
      }
      expect((await post(wave().subarray(0, 44))).status).toBe(422);
      for (const cut of [12, 30, 43])
        expect((await post(wave().subarray(0, cut))).status).toBe(422);
    });

    test('of no length is quiet, also with a list behind', async () => {
      const head = wave().subarray(0, 44);
      head.writeUInt32LE(0, 40);
      const quiet = { status: 200, durationMs: 0, complete: true };
      expect(await post(head)).toMatchObject(quiet);
      expect(await post(Buffer.concat([head, chunk('LIST', 'INFO')]))).toMatchObject(quiet);
    });

    test('with another one behind it says that this one is not read', async () => {
      const twice = Buffer.concat([wave(), wave()]);
      expect(await post(twice)).toMatchObject({ ...WHOLE, complete: false });
    });

    test('of over 4 GB by its form is read by its long size, or as a stream', async () => {
      const long = (data: bigint) => {
        const sizes = Buffer.alloc(28);
        sizes.writeBigUInt64LE(data, 8);
        const rest = sized(0, 0xffff_ffff).subarray(12);
        const head = Buffer.from('RF64\xff\xff\xff\xffWAVE', 'latin1');
        return Buffer.concat([head, chunk('ds64', sizes), rest]);
      };
      expect(await post(long(BigInt(SOUND_BYTES)))).toMatchObject(WHOLE);
      expect(await post(long(0n))).toMatchObject(WHOLE);
      expect(await post(long(2n ** 64n - 1n))).toMatchObject(WHOLE);
      expect(await post(long(5_000_000_000n))).toMatchObject({ ...WHOLE, complete: false });
    });
  });

  describe('what is not read here is 415 and named', () => {
    const waveOf = (kind: number, bits = 4) => {
      const file = wave();
      file.writeUInt16LE(kind, 20);
      file.writeUInt16LE(bits, 34);
      return file;
    };
    const ogg = (beginning: string) => {
      const packet = Buffer.from(beginning.padEnd(80, '\0'), 'latin1');
      const page = Buffer.from('OggS\0\x02'.padEnd(28, '\0'), 'latin1');
      page[26] = 1;
      page[27] = packet.length;
      return Buffer.concat([page, packet]);
    };
    const text = (beginning: string) => Buffer.from(beginning.padEnd(400, '\x01'), 'latin1');
    const matroska = async (codec: string) => {
      const speech = await opusSpeech(20);
      const one = { segmentUnknown: null, clusterUnknown: null, packetsPerCluster: 50 };
      const file = Buffer.from(webmFile(speech, { ...one, blocks: 'simple' }));
      file.write(codec.padEnd(6, '\0'), file.indexOf('A_OPUS'), 'latin1');
      return file;
    };

    test.each<[string, () => Uint8Array | Promise<Uint8Array>]>([
      ['This wave file holds ADPCM.', () => waveOf(0x11)],
      ['This wave file holds ADPCM.', () => waveOf(2)],
      ['This wave file holds GSM 6.10.', () => waveOf(0x31)],
      ['This wave file holds MP3.', () => waveOf(0x55)],
      ['This wave file holds no PCM.', () => waveOf(0x1234)],
      ['This file holds FLAC.', () => ogg('\x7fFLAC\x01')],
      ['This file holds Speex.', () => ogg('Speex   1.2')],
      ['This file holds Vorbis.', () => ogg('\x01vorbis')],
      ['This file holds AC-3.', () => matroska('A_AC3')],
      ['This is an MPEG audio file.', () => text('ID3\x04')],
      ['This is an AIFF file.', () => text('FORM\0\0\x01\0AIFF')],
      ['This is an AMR file.', () => text('#!AMR\n')],
      ['This is a CAF file.', () => text('caff\0\x01')],
      ['This is an AVI file.', () => text('RIFF\0\x01\0\0AVI ')],
      ['This is a Windows Media file.', () => text('0&\xb2u\x8e')],
      ['This file holds AAC.', () => fixture('speech-en-aac.mp4')],
      ['This is no audio file known here.', () => text('Dear Sir or Madam')],
    ])('%s', async (says, make) => {
      const { status, message } = await post(await make());
      expect(message).toBe(`${says} Send wav, mp3, flac, or webm, mp4 or ogg with Opus.`);
      expect(status).toBe(415);
    });
  });

  test('Opus of 120 ms a packet is heard, however many bytes it has', async () => {
    const { packets, config } = await opusSpeech();
    const [first] = packets;
    const alike = packets.filter(({ data }) => data[0] === first!.data[0]).slice(0, 60);
    expect(first!.data[0]! & 3).toBe(0);
    for (const bytes of [1_000, 3_840, 3_841, 5_000, 7_600]) {
      const long = alike.flatMap((packet, at) =>
        at % 6 === 0 ? [packet.clone({ data: joined(alike.slice(at, at + 6), bytes) })] : [],
      );
      const speech = { packets: long, config };
      expect(await post(await muxed(speech, 'fragmented'))).toMatchObject({
        status: 200,
        durationMs: Math.round(alike.length * 20 - 6.5),
        complete: true,
      });
    }
  });

  /** Six packets of 20 ms as one of `bytes` (RFC 6716, section 3.2.5): frames, and room behind them. */
  function joined(packets: readonly { readonly data: Uint8Array }[], bytes: number): Uint8Array {
    const frames = packets.map(({ data }) => data.subarray(1));
    const lengths = frames.slice(0, -1).flatMap(({ length }) => {
      return length < 252 ? [length] : [252 + (length % 4), (length - 252 - (length % 4)) / 4];
    });
    const taken = 2 + lengths.length + frames.reduce((sum, { length }) => sum + length, 0);
    const room: number[] = [];
    let left = bytes - taken;
    // Each 255 stands for 254 bytes, and takes one itself.
    while (left > 255) {
      room.push(255);
      left -= 255;
    }
    room.push(left - 1);
    const head = [packets[0]!.data[0]! | 3, 0xc0 | packets.length, ...room, ...lengths];
    return Buffer.concat([Buffer.from(head), ...frames, Buffer.alloc(bytes)]).subarray(0, bytes);
  }
});

describe('files that are cut', () => {
  const PACKET_MS = 20;
  const PRE_SKIP_MS = 6.5;
  const SECOND = 50;
  /** Two and a half clusters of a second. */
  const SPEECH = 125;

  let server: RunningServer;
  let speech: OpusSpeech;
  beforeAll(async () => {
    server = await startServer({ engine: FORGETFUL_ENGINE });
    speech = await opusSpeech(SPEECH);
  });
  afterAll(() => server.close());

  const post = async (file: Uint8Array) => {
    const { status, body } = await postSpeech(server, speechForm(file, {}, 'a'));
    return { status, durationMs: body.durationMs ?? 0, complete: body.complete };
  };
  const lengthMs = (packets: number) => Math.max(0, packets * PACKET_MS - PRE_SKIP_MS);

  /**
   * The forms of WebM that browsers and others write; `isStream`: nothing tells that a packet was
   * to follow.
   */
  const WEBM: readonly (readonly [string, WebmForm])[] = [
    ["Chrome's recorder, one cluster", form({ segmentUnknown: 8, clusterUnknown: 8 })],
    [
      "Chrome's recorder in slices",
      form({ segmentUnknown: 8, clusterUnknown: 8, packetsPerCluster: SECOND }),
    ],
    ["Firefox's recorder", form({ segmentUnknown: 8, packetsPerCluster: SECOND })],
    ['a file that can be sought in', form({ packetsPerCluster: SECOND, trailer: cues() })],
    ['one with groups of blocks', form({ packetsPerCluster: SECOND, blocks: 'group' })],
    ...[1, 2, 7].map((width): [string, WebmForm] => [
      `one whose unknown sizes have ${width} bytes`,
      form({ segmentUnknown: width, clusterUnknown: width, packetsPerCluster: SECOND }),
    ]),
  ];

  function form(over: Partial<WebmForm>): WebmForm {
    const known = { segmentUnknown: null, clusterUnknown: null };
    return { ...known, packetsPerCluster: 10_000, blocks: 'simple', ...over };
  }

  /** An index, which nobody needs. */
  function cues(): Uint8Array {
    return element(
      0x1c53bb6b,
      element(0xbb, element(0xb3, [0]), element(0xb7, element(0xf7, [1]))),
    );
  }

  /** Places all over the file and at the heads of its parts, in order. */
  function cutsOf(file: Uint8Array, ends: readonly number[], count: number): readonly number[] {
    const random = seededRandom(7);
    const anywhere = Array.from(
      { length: count },
      () => 1 + Math.floor(random() * (file.length - 1)),
    );
    const edges = [0, SECOND - 1, ends.length - 1].flatMap((at) =>
      [-1, 0, 1, 9].map((by) => (ends[at] ?? 0) + by),
    );
    return [...new Set([...anywhere, ...edges])]
      .filter((cut) => cut > 0 && cut < file.length)
      .sort((a, b) => a - b);
  }

  /** Cuts a file at many places; each packet that is whole is to be heard. */
  async function cutAll(file: Uint8Array, of: OpusSpeech, isStream: boolean, count = 10) {
    const ends = packetEnds(file, of);
    let before = 0;
    for (const cut of cutsOf(file, ends, count)) {
      const answer = await post(file.slice(0, cut));
      const whole = ends.filter((end) => end <= cut).length;
      const said = { cut, ...answer };
      if (lengthMs(whole) > 0) {
        expect(said).toMatchObject({ status: 200 });
        expect(Math.abs(answer.durationMs - lengthMs(whole)), JSON.stringify(said)).toBeLessThan(2);
        // Cut between two packets a stream is a shorter stream.
        const mayBeWhole = isStream && (ends.includes(cut) || whole === ends.length);
        if (!mayBeWhole) expect(said).toMatchObject({ complete: false });
      }
      expect(answer.durationMs).toBeGreaterThanOrEqual(before);
      before = answer.durationMs;
    }
  }

  describe('WebM', () => {
    test.each(WEBM)('%s: whole it is complete, whatever its length', async (_, of) => {
      for (const count of [1, 20, 50, 51, SPEECH]) {
        const part = { ...speech, packets: speech.packets.slice(0, count) };
        const answer = await post(webmFile(part, of));
        expect(answer).toMatchObject({ status: 200, complete: true });
        expect(Math.abs(answer.durationMs - lengthMs(count))).toBeLessThan(2);
      }
    });

    test.each(WEBM)('%s: cut anywhere all is heard that is there', async (_, of) => {
      await cutAll(webmFile(speech, of), speech, of.segmentUnknown !== null);
    });

    test('of a few hundred bytes, cut anywhere', async () => {
      const short = await opusSpeech(20);
      for (const [, of] of WEBM.slice(1, 3)) {
        await cutAll(webmFile(short, of), short, of.segmentUnknown !== null);
      }
    });

    test('with junk in a cluster loses that cluster at most, and says so', async () => {
      for (const [, of] of WEBM.slice(1, 4)) {
        const file = webmFile(speech, of);
        const ends = packetEnds(file, speech);
        file.fill(0xee, ends[60], ends[62]);
        const answer = await post(file);
        expect(answer).toMatchObject({ status: 200, complete: false });
        expect(answer.durationMs).toBeGreaterThan(lengthMs(speech.packets.length - SECOND));
      }
    });

    test('that ends with zeros, or with room left free, is whole', async () => {
      const zeros = new Uint8Array(300);
      for (const trailer of [zeros, element(0xec, zeros), Buffer.concat([cues(), zeros])]) {
        for (const [, of] of WEBM.slice(0, 4)) {
          const answer = await post(webmFile(speech, { ...of, trailer }));
          expect(answer).toMatchObject({ status: 200, complete: true });
        }
      }
    });

    test('with a second recording behind it says that this one is not read', async () => {
      const [, of] = WEBM[0]!;
      const twice = Buffer.concat([webmFile(speech, of), webmFile(speech, of)]);
      expect(await post(twice)).toMatchObject({ status: 200, complete: false });
    });
  });

  describe('MP4', () => {
    test.each(['faststart', 'fragmented', 'moov-last'] as const)(
      'of the kind %s: whole it is complete, whatever its length',
      async (kind) => {
        for (const count of [1, 20, SPEECH]) {
          const part = { ...speech, packets: speech.packets.slice(0, count) };
          const answer = await post(await muxed(part, kind));
          expect(answer).toMatchObject({ status: 200, complete: true });
          expect(Math.abs(answer.durationMs - lengthMs(count))).toBeLessThan(2);
        }
      },
    );

    test.each(['faststart', 'fragmented'] as const)(
      'of the kind %s: cut anywhere all is heard that is there',
      async (kind) => {
        await cutAll(await muxed(speech, kind), speech, kind === 'fragmented', 20);
        const short = await opusSpeech(20);
        await cutAll(await muxed(short, kind), short, kind === 'fragmented');
      },
    );

    test('whose tables stand at the end is refused when they are cut off', async () => {
      const file = await muxed(speech, 'moov-last');
      const ends = packetEnds(file, speech);
      for (const cut of cutsOf(file, ends, 10).filter((at) => at > 64)) {
        expect((await post(file.slice(0, cut))).status).toBe(422);
      }
    });
  });

  test('Ogg, cut anywhere, is heard up to its last whole page', async () => {
    const file = await muxed(speech, 'ogg');
    expect(await post(file)).toMatchObject({ status: 200, complete: true });
    let before = 0;
    for (const cut of cutsOf(file, [], 20)) {
      const answer = await post(file.slice(0, cut));
      expect(answer.durationMs).toBeGreaterThanOrEqual(before);
      before = answer.durationMs;
    }
  });
});

describe('Ogg', () => {
  let speech: OpusSpeech;
  beforeAll(async () => {
    speech = await opusSpeech();
  });
  const decode = (file: Uint8Array) => decodeAudio(file, 600_000);
  const pagesOf = (file: Uint8Array) => {
    const bytes = Buffer.from(file);
    const starts = [...bytes.toString('latin1').matchAll(/OggS\0/g)].map(({ index }) => index);
    return starts.map((start, at) => bytes.subarray(start, starts[at + 1]));
  };

  test('of several recordings, one behind the other, is all of them', async () => {
    const one = await muxed(speech, 'ogg');
    const alone = await decode(one);
    const { samples, complete } = await decode(Buffer.concat([one, one, one]));
    expect(complete).toBe(true);
    expect(samples.length).toBe(3 * alone.samples.length);
    expect(samples.slice(-alone.samples.length)).toEqual(alone.samples);
  });

  test('is heard on both sides of what is no page, and says so', async () => {
    const pages = pagesOf(await muxed(speech, 'ogg'));
    const alone = await decode(Buffer.concat(pages));
    const rubbish = Buffer.alloc(50, 'OggS');
    const file = Buffer.concat([...pages.slice(0, 3), rubbish, ...pages.slice(3)]);
    const { samples, complete } = await decode(file);
    expect(complete).toBe(false);
    expect(samples).toEqual(alone.samples);
  });

  test.each([2, -1])('without page %i, and cut in it, says so', async (at) => {
    const pages = pagesOf(await muxed(speech, 'ogg'));
    const [missing] = pages.splice(at, 1);
    if (at > 0) expect((await decode(Buffer.concat(pages))).complete).toBe(false);
    const cut = missing!.subarray(0, -1);
    expect((await decode(Buffer.concat([...pages, cut]))).complete).toBe(false);
  });

  test('that begins amid a recording is heard from the next one on', async () => {
    const one = await muxed(speech, 'ogg');
    const late = Buffer.concat(pagesOf(one).slice(2));
    const { samples, complete } = await decode(Buffer.concat([late, one]));
    expect(complete).toBe(false);
    expect(samples).toEqual((await decode(one)).samples);
    await expect(decode(late)).rejects.toMatchObject({ status: 422 });
  });
});

describe('samples', () => {
  const decode = (file: Uint8Array, maxAudioMs = 60_000) => decodeAudio(file, maxAudioMs);

  /** The level of `hz` over everything else in the middle of `samples`, in dB. */
  function purityDb(samples: Float32Array, hz: number): number {
    const middle = samples.subarray(samples.length / 4, (samples.length * 3) / 4);
    let [sine, cosine, power] = [0, 0, 0];
    middle.forEach((sample, index) => {
      const angle = (2 * Math.PI * hz * index) / 16_000;
      sine += sample * Math.sin(angle);
      cosine += sample * Math.cos(angle);
      power += sample ** 2;
    });
    const tonePower = (2 * (sine ** 2 + cosine ** 2)) / middle.length;
    return 10 * Math.log10(tonePower / Math.max(1e-12, power - tonePower));
  }

  /** By how many samples `b` lags behind `a`, from their cross-correlation over +-`reach`. */
  function lagOf(a: Float32Array, b: Float32Array, reach: number): number {
    let [best, bestLag] = [Number.NEGATIVE_INFINITY, 0];
    for (let lag = -reach; lag <= reach; lag++) {
      let sum = 0;
      for (let index = reach; index < 32_000; index += 3) sum += a[index]! * (b[index + lag] ?? 0);
      if (sum > best) [best, bestLag] = [sum, lag];
    }
    return bestLag;
  }

  describe('wave files', () => {
    test('at 16 kHz come out sample for sample', async () => {
      const samples = tone(300, 16_000, 0.3);
      const audio = await decode(waveFile(16_000, samples));
      expect(audio.complete).toBe(true);
      expect(audio.samples).toHaveLength(samples.length);
      audio.samples.forEach((sample, index) => {
        expect(Math.abs(sample - samples[index]!)).toBeLessThan(1e-4);
      });
    });

    test.each([8_000, 11_025, 22_050, 44_100, 48_000, 96_000])(
      'at %i Hz keep their pitch, length and beginning',
      async (rateHz) => {
        const { samples } = await decode(waveFile(rateHz, tone(1_000, rateHz, 1)));
        expect(Math.abs(samples.length - 16_000)).toBeLessThanOrEqual(2);
        expect(purityDb(samples, 1_000)).toBeGreaterThan(60);
        expect(Math.abs(lagOf(tone(1_000, 16_000, 1), samples, 7))).toBeLessThanOrEqual(1);
      },
    );

    test('lose what 16 kHz cannot hold instead of folding it down', async () => {
      const { samples } = await decode(waveFile(48_000, tone(11_000, 48_000, 1)));
      expect(Math.max(...samples.subarray(2_000, 14_000).map(Math.abs))).toBeLessThan(0.001);
    });

    test('whose channels cancel each other out are heard all the same', async () => {
      const left = tone(440, 16_000, 1);
      const { samples } = await decode(
        waveFile(
          16_000,
          left,
          left.map((value) => -value),
        ),
      );
      expect(Math.max(...samples)).toBeCloseTo(Math.max(...left), 3);
    });

    test('with two channels are mixed, not cut', async () => {
      const [left, right] = [tone(500, 16_000, 0.5), new Float32Array(8_000)];
      const { samples } = await decode(waveFile(16_000, left, right));
      expect(samples).toHaveLength(8_000);
      expect(Math.max(...samples)).toBeCloseTo(0.25, 2);
    });

    test('holding NaN and infinity come out finite', async () => {
      const floats = new Float32Array([Number.NaN, Number.POSITIVE_INFINITY, -7, 0.25]);
      const file = Buffer.concat([waveFile(16_000).subarray(0, 44), Buffer.from(floats.buffer)]);
      file.writeUInt32LE(36 + 16, 4);
      file.writeUInt16LE(3, 20);
      file.writeUInt32LE(64_000, 28);
      file.writeUInt16LE(4, 32);
      file.writeUInt16LE(32, 34);
      file.writeUInt32LE(16, 40);
      // mono, 32-bit float
      file.writeUInt16LE(1, 22);
      expect([...(await decode(file)).samples]).toEqual([0, 0, -1, 0.25]);
    });
  });

  describe('Opus', () => {
    test.each(['webm', 'mp4', 'ogg'])('in %s begins where the speech begins', async (type) => {
      const original = (await decode(fixture('speech-en.wav'))).samples;
      const { samples, complete } = await decode(fixture(`speech-en.${type}`));
      expect(complete).toBe(true);
      // Pre-skip counted in the wrong unit would move it by 200 samples, or cut 600 off.
      expect(Math.abs(lagOf(original, samples, 700))).toBeLessThanOrEqual(2);
      expect(samples.length - original.length).toBeGreaterThanOrEqual(0);
      expect(samples.length - original.length).toBeLessThan(320);
    });
  });

  describe('limits', () => {
    test('audio up to the limit is taken, a sample more is not', async () => {
      const file = waveFile(16_000, tone(500, 16_000, 0.5));
      expect((await decode(file, 500)).samples).toHaveLength(8_000);
      await expect(decode(file, 499)).rejects.toMatchObject({
        status: 413,
        code: 'audio_too_long',
      });
    });
  });
});

describe('damaged uploads', () => {
  test('a file cut short is transcribed as far as it goes, and the answer says complete: false', async () => {
    const server = await startServer({ engine: FORGETFUL_ENGINE });
    const whole = fixture('speech-en.ogg');
    const { status, body } = await postSpeech(server, speechForm(whole.slice(0, -4_000)));
    expect(status).toBe(200);
    expect(body).toMatchObject({ transcription: 'words', complete: false });
    expect((await postSpeech(server, speechForm(whole))).body.complete).toBe(true);
    await server.close();
  });

  test('a person is answered while another address sends the worst files there are, 40 at once', async () => {
    const server = await startServer({
      engine: FORGETFUL_ENGINE,
      decoder: decoderPool(),
      limits: { concurrency: 2, maxUploadsPerClient: 40 },
    });
    const speech = fixture('speech-en.mp4');
    const worst = [endlessFragment(9), sizesOfNoBits(9), await sameBytesAgain(speech, 130)];
    await postSpeech(server, speechForm(fixture('speech-en.webm')));
    const attacks = Array.from({ length: 40 }, (_, index) =>
      postFrom('127.0.0.2', server.url, speechForm(worst[index % worst.length] ?? speech)),
    );
    const queue = async () =>
      (await readJson(fetch(`${server.url}/api/health`))).body.queue?.waiting;
    await expect.poll(queue).toBeGreaterThan(30);
    for (let index = 0; index < 3; index++) {
      const { status } = await postSpeech(server, speechForm(fixture('speech-en.webm')));
      expect(status).toBe(200);
    }
    // Each takes a second of a core: first come, first served would have answered most by now.
    expect(await queue()).toBeGreaterThan(15);
    await server.close();
    expect(new Set(await Promise.all(attacks))).toEqual(new Set([422, 503]));
  }, 120_000);

  /** Posts from another loopback address; gives the status. */
  async function postFrom(localAddress: string, url: string, form: FormData): Promise<number> {
    const whole = new Response(form);
    const body = Buffer.from(await whole.arrayBuffer());
    const headers = { 'content-type': whole.headers.get('content-type') ?? '' };
    return new Promise((resolve, reject) => {
      const options = { method: 'POST', localAddress, headers };
      request(`${url}/api/asr/vad`, options, (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
      })
        .on('error', reject)
        .end(body);
    });
  }
});
