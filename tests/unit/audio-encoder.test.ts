import { describe, expect, it, vi } from 'vitest';
import { LOG_MESSAGES } from '../../src/core/logger.ts';
import { createAudioEncoder } from '../../workers/audio/audio-encoder.ts';
import { type AudioFormat, audioFormats, WAV } from '../../workers/audio/audio-formats.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { createRecordingLog } from '../helpers/recording-log.ts';
import { makeSpeechLike } from '../helpers/speech-like.ts';

const never = () => new Promise<never>(() => {});
const broken: AudioFormat = {
  type: 'audio/mp4',
  isScript: false,
  pack: () => Promise.reject(new Error('no codec')),
  join: () => Promise.reject(new Error('no codec')),
  decode: () => Promise.reject(new Error('no codec')),
};

/** A format that works until it is told not to. */
function createFickle(): AudioFormat & { isBroken: boolean } {
  return {
    type: 'audio/webm',
    isScript: false,
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

function createEncoder(...formats: readonly AudioFormat[]) {
  const clock = createFakeClock();
  const log = createRecordingLog();
  return { encoder: createAudioEncoder({ clock, log, formats }), clock, log };
}

describe('choosing a format', () => {
  it('has Opus by a script before AAC, which servers refuse', () => {
    const formats = audioFormats({ reader: 'reader.js', opus: 'opus.js' });
    expect(formats.map(({ type, isScript }) => (isScript ? `${type} by script` : type))).toEqual([
      'audio/webm',
      'audio/webm by script',
      'audio/mp4',
      'audio/wav',
    ]);
  });

  it('takes the first that encodes the probe, and asks it once', async () => {
    const webm = createFickle();
    const { encoder } = createEncoder(webm, broken, WAV);
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
    const { encoder } = createEncoder(webm, broken, WAV);
    expect(await encoder.chooseType()).toBe('audio/wav');
    webm.isBroken = false;
    await expect.poll(() => encoder.chooseType()).toBe('audio/webm');
  });

  it('fetches a script only to prove files, and takes it before WAV alone', async () => {
    const script = { ...createFickle(), isScript: true };
    const pack = vi.spyOn(script, 'pack');
    const { encoder } = createEncoder(broken, script, WAV);
    expect(await encoder.chooseType()).toBe('audio/wav');
    expect(pack).not.toHaveBeenCalled();
    await encoder.proveFiles();
    expect((await encoder.encode(makeSpeechLike(100))).type).toBe('audio/webm');
    expect(pack).toHaveBeenCalledTimes(2);
    // The others are tried again; what has passed is not.
    expect(await encoder.chooseType()).toBe('audio/webm');
    expect(pack).toHaveBeenCalledTimes(2);
  });

  it('waits for no other format while it has one', async () => {
    const hanging: AudioFormat = { ...createFickle(), isScript: true, pack: never };
    const { encoder } = createEncoder(broken, hanging, WAV);
    await encoder.chooseType();
    void encoder.proveFiles();
    expect((await encoder.encode(makeSpeechLike(100))).type).toBe('audio/wav');
    expect(await encoder.chooseType()).toBe('audio/wav');
  });

  it('reads a file by the way that can write it', async () => {
    const own = createFickle();
    own.isBroken = true;
    own.decode = () => Promise.reject(new Error('would have crashed'));
    const script = { ...createFickle(), isScript: true };
    const audio = await createEncoder(createFickle()).encoder.encode(makeSpeechLike(100));
    const { encoder } = createEncoder(own, script, WAV);
    expect((await encoder.decode(audio)).length).toBe(100);
  });

  it('packs before any file can be made, and goes over to WAV when that is seen to fail', async () => {
    const webm = createFickle();
    webm.join = () => Promise.reject(new Error('no script'));
    const { encoder } = createEncoder(webm, broken, WAV);
    expect(await encoder.chooseType()).toBe('audio/webm');
    await encoder.proveFiles();
    expect(await encoder.chooseType()).toBe('audio/wav');
    expect((await encoder.pack(makeSpeechLike(100))).type).toBe('audio/wav');
  });

  it('proves files while it is still choosing', async () => {
    const webm = createFickle();
    const join = vi.spyOn(webm, 'join');
    const { encoder } = createEncoder(webm, broken, WAV);
    const [type] = await Promise.all([encoder.chooseType(), encoder.proveFiles()]);
    expect(type).toBe('audio/webm');
    expect(await encoder.chooseType()).toBe('audio/webm');
    expect(join).toHaveBeenCalledTimes(1);
  });

  it.each([[[]], [[broken]]])('says so if none of %j works', async (formats) => {
    const { encoder } = createEncoder(...formats);
    await expect(encoder.chooseType()).rejects.toMatchObject({
      code: 'audio-type-missing',
      message: LOG_MESSAGES.noAudioType,
    });
  });

  it('gives up a codec that never answers', async () => {
    const { encoder, clock } = createEncoder({ ...broken, pack: never }, WAV);
    const chosen = encoder.chooseType();
    await clock.advance(10_300);
    expect(await chosen).toBe('audio/wav');
  });
});

describe('a chunk', () => {
  it('becomes WAV when the chosen format fails on it', async () => {
    const webm = createFickle();
    const { encoder, log } = createEncoder(webm, broken, WAV);
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
    const { encoder } = createEncoder(webm);
    await encoder.chooseType();
    webm.isBroken = true;
    await expect(encoder.encode(makeSpeechLike(100))).rejects.toMatchObject({
      code: 'encoding-failed',
      message: 'the codec has crashed',
    });
  });

  it('is not split from a file that has lost sound, nor by a decoder that never answers', async () => {
    const webm = createFickle();
    const { encoder, clock } = createEncoder(webm, broken, WAV);
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
    const { encoder } = createEncoder(broken, WAV);
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
