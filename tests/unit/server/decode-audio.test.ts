import { describe, expect, test } from 'vitest';
import { decodeAudio } from '../../../server/audio/decode-audio.ts';
import { fixture } from '../../helpers/running-server.ts';
import { tone, waveFile } from '../../helpers/wave-file.ts';

const decode = (file: Uint8Array, maxAudioMs = 60_000) => decodeAudio(file, maxAudioMs);

/** How much louder `hz` is than everything else in the middle of `samples`, in dB. */
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

  test('with two channels are mixed, not cut', async () => {
    const [left, right] = [tone(500, 16_000, 0.5), new Float32Array(8_000)];
    const { samples } = await decode(waveFile(16_000, left, right));
    expect(samples).toHaveLength(8_000);
    expect(Math.max(...samples)).toBeCloseTo(0.25, 2);
  });

  test('cut short give what is there, and say so', async () => {
    const whole = waveFile(16_000, tone(500, 16_000, 1));
    const audio = await decode(whole.slice(0, 20_044));
    expect(audio.samples).toHaveLength(10_000);
    expect(audio.complete).toBe(false);
  });

  test('from a stream, with no length in the header, are whole', async () => {
    const file = Buffer.from(waveFile(16_000, tone(500, 16_000, 1)));
    file.writeUInt32LE(0xffff_ffff, 4);
    file.writeUInt32LE(0xffff_ffff, 40);
    const audio = await decode(file);
    expect(audio.samples).toHaveLength(16_000);
    expect(audio.complete).toBe(true);
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

  test('that breaks off gives what is there, and says so', async () => {
    const file = fixture('speech-en.ogg');
    const audio = await decode(file.slice(0, file.length - 4_000));
    expect(audio.samples.length).toBeGreaterThan(16_000);
    expect(audio.complete).toBe(false);
  });
});

describe('limits', () => {
  test('audio up to the limit is taken, a sample more is not', async () => {
    const file = waveFile(16_000, tone(500, 16_000, 0.5));
    expect((await decode(file, 500)).samples).toHaveLength(8_000);
    await expect(decode(file, 499)).rejects.toMatchObject({ status: 413, code: 'audio_too_long' });
  });
});
