import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FORGETFUL_ENGINE } from '../../helpers/fake-engine.ts';
import { muxed, opusSpeech, webmFile } from '../../helpers/opus-files.ts';
import {
  fixture,
  postSpeech,
  type RunningServer,
  speechForm,
  startServer,
} from '../../helpers/running-server.ts';
import { tone, waveFile } from '../../helpers/wave-file.ts';

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
    for (const cut of [12, 30, 43]) expect((await post(wave().subarray(0, cut))).status).toBe(422);
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
    ['This is an MP3 file.', () => text('ID3\x04')],
    ['This is a FLAC file.', () => text('fLaC\0')],
    ['This is an AIFF file.', () => text('FORM\0\0\x01\0AIFF')],
    ['This is an AMR file.', () => text('#!AMR\n')],
    ['This is a CAF file.', () => text('caff\0\x01')],
    ['This is an AVI file.', () => text('RIFF\0\x01\0\0AVI ')],
    ['This is a Windows Media file.', () => text('0&\xb2u\x8e')],
    ['This file holds AAC.', () => fixture('speech-en-aac.mp4')],
    ['This is no audio file known here.', () => text('Dear Sir or Madam')],
  ])('%s', async (says, make) => {
    const { status, message } = await post(await make());
    expect(message).toBe(`${says} Send webm, mp4 or ogg with Opus, or wav.`);
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
