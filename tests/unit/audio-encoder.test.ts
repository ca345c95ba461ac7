import { describe, expect, it, vi } from 'vitest';
import type { AudioType } from '../../src/core/audio/audio-types.ts';
import { LOG_MESSAGES } from '../../src/core/log-messages.ts';
import { createAudioEncoder } from '../../workers/encoding/audio-encoder.ts';
import { type AudioFormat, audioFormats } from '../../workers/encoding/audio-formats.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { createRecordingLog } from '../helpers/recording-log.ts';
import { makeSpeechLike } from '../helpers/speech-like.ts';

const never = () => new Promise<never>(() => {});
const broken: AudioFormat = {
  pack: () => Promise.reject(new Error('no codec')),
  join: () => Promise.reject(new Error('no codec')),
  decode: () => Promise.reject(new Error('no codec')),
};

/** A format that works until it is told not to. */
function createFickle(): AudioFormat & { isBroken: boolean } {
  return {
    isBroken: false,
    async pack(samples) {
      if (this.isBroken) throw new Error('the codec has crashed');
      const { buffer } = samples.slice();
      const { length } = samples;
      const what = { packetSamples: length, durationSamples: length };
      return { type: 'audio/webm', codec: null, bytes: buffer, sizes: [4 * length], ...what };
    },
    join: async ([first]) => first?.bytes ?? new ArrayBuffer(0),
    decode: async (bytes) => new Float32Array(bytes),
  };
}

function createEncoder(webm: AudioFormat, types?: readonly AudioType[]) {
  const clock = createFakeClock();
  const log = createRecordingLog();
  const formats = { ...audioFormats(''), 'audio/webm': webm, 'audio/mp4': broken };
  const encoder = createAudioEncoder({ clock, log, formats, ...(types ? { types } : {}) });
  return { encoder, clock, log };
}

describe('choosing a format', () => {
  it('takes the first that encodes the probe, and asks it once', async () => {
    const webm = createFickle();
    const { encoder } = createEncoder(webm);
    expect(await Promise.all([encoder.chooseType(), encoder.chooseType()])).toEqual([
      'audio/webm',
      'audio/webm',
    ]);
    webm.isBroken = true;
    expect(await encoder.chooseType()).toBe('audio/webm');
  });

  it('goes back to a better one when it works again', async () => {
    const webm = createFickle();
    webm.isBroken = true;
    const { encoder } = createEncoder(webm);
    expect(await encoder.chooseType()).toBe('audio/wav');
    webm.isBroken = false;
    expect(await encoder.chooseType()).toBe('audio/webm');
  });

  it('packs before any file can be made, and goes over to WAV when that is seen to fail', async () => {
    const webm = createFickle();
    webm.join = () => Promise.reject(new Error('no script'));
    const { encoder } = createEncoder(webm);
    expect(await encoder.chooseType()).toBe('audio/webm');
    await encoder.proveFiles();
    expect(await encoder.chooseType()).toBe('audio/wav');
    expect((await encoder.pack(makeSpeechLike(100))).type).toBe('audio/wav');
  });

  it('proves files while it is still choosing', async () => {
    const webm = createFickle();
    const join = vi.spyOn(webm, 'join');
    const { encoder } = createEncoder(webm);
    const [type] = await Promise.all([encoder.chooseType(), encoder.proveFiles()]);
    expect(type).toBe('audio/webm');
    expect(await encoder.chooseType()).toBe('audio/webm');
    expect(join).toHaveBeenCalledTimes(1);
  });

  it.each([[[]], [['audio/mp4']]] as const)('says so if none of %j works', async (types) => {
    const { encoder } = createEncoder(broken, types);
    await expect(encoder.chooseType()).rejects.toMatchObject({
      code: 'audio-type-missing',
      message: LOG_MESSAGES.noAudioType,
    });
  });

  it('gives up a codec that never answers', async () => {
    const { encoder, clock } = createEncoder({ pack: never, join: never, decode: never });
    const chosen = encoder.chooseType();
    await clock.advance(10_300);
    expect(await chosen).toBe('audio/wav');
  });
});

describe('a chunk', () => {
  it('becomes WAV when the chosen format fails on it', async () => {
    const webm = createFickle();
    const { encoder, log } = createEncoder(webm);
    await encoder.chooseType();
    webm.isBroken = true;
    const samples = makeSpeechLike(16_000);
    const audio = await encoder.encode(samples);
    expect(audio.type).toBe('audio/wav');
    expect((await encoder.decode(audio)).length).toBe(16_000);
    expect(log.lines.map(([level]) => level)).toEqual(['warn']);
  });

  it('is refused with a typed error when there is no WAV to fall back on', async () => {
    const webm = createFickle();
    const { encoder } = createEncoder(webm, ['audio/webm']);
    await encoder.chooseType();
    webm.isBroken = true;
    await expect(encoder.encode(makeSpeechLike(100))).rejects.toMatchObject({
      code: 'encoding-failed',
      message: 'the codec has crashed',
    });
  });

  it('is not split from a file that has lost sound, nor by a decoder that never answers', async () => {
    const webm = createFickle();
    const { encoder, clock } = createEncoder(webm);
    const audio = await encoder.encode(makeSpeechLike(16_000));
    await expect(encoder.decode({ ...audio, durationSamples: 32_000 })).rejects.toMatchObject({
      code: 'encoding-failed',
    });
    webm.decode = never;
    const decoding = expect(encoder.decode(audio)).rejects.toMatchObject({
      code: 'encoding-failed',
    });
    await clock.advance(11_000);
    await decoding;
  });

  it('survives WAV to the precision of 16 bits, and is clipped, not wrapped', async () => {
    const { encoder } = createEncoder(broken);
    const samples = makeSpeechLike(5_000);
    samples.set([2, -2, 1, -1, 0], 0);
    const audio = await encoder.encode(samples);
    expect(audio.bytes.byteLength).toBe(44 + 2 * 5_000);
    const decoded = await encoder.decode(audio);
    expect([...decoded.subarray(0, 5)]).toEqual([32_767 / 32_768, -1, 32_767 / 32_768, -1, 0]);
    for (const [index, sample] of samples.entries()) {
      if (index >= 5)
        expect(Math.abs((decoded[index] ?? 9) - sample)).toBeLessThanOrEqual(1 / 65_536);
    }
    await expect(encoder.decode({ ...audio, bytes: new ArrayBuffer(10) })).rejects.toMatchObject({
      code: 'encoding-failed',
    });
  });
});
