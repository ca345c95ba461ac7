import { describe, expect, it, onTestFinished } from 'vitest';
import { assetAddresses } from '../../src/assets/addresses.ts';
import { msToSamples, SAMPLE_RATE_HZ } from '../../src/core/audio/audio-format.ts';
import type { EncodedAudio } from '../../src/core/audio/audio-types.ts';
import { browserClock } from '../../src/platform/browser-clock.ts';
import { createAudioEncoder } from '../../workers/audio/audio-encoder.ts';
import { type AudioFormat, audioFormats } from '../../workers/audio/audio-formats.ts';
import { isWebKit } from '../helpers/engine.ts';
import { compareSounds } from '../helpers/likeness.ts';
import { createRecordingLog } from '../helpers/recording-log.ts';
import { makeSpeechLike } from '../helpers/speech-like.ts';

/** Whole packets of 40 ms, as a recording's stretches are. */
const PARTS = [12 * SAMPLE_RATE_HZ, 3 * SAMPLE_RATE_HZ, 15 * SAMPLE_RATE_HZ + 777];
const TOTAL = PARTS.reduce((sum, samples) => sum + samples, 0);

const formats = audioFormats(assetAddresses().forWorker);

async function createEncoder(of: readonly AudioFormat[] = formats) {
  const ports = { clock: browserClock, log: createRecordingLog(), formats: of };
  const encoder = createAudioEncoder(ports);
  await encoder.proveFiles();
  return encoder;
}

function cut(samples: Float32Array): Float32Array[] {
  let start = 0;
  return PARTS.map((length) => {
    start += length;
    return samples.slice(start - length, start);
  });
}

/** A player of that file; what it knows before anything is played. */
async function open({ type, bytes }: EncodedAudio): Promise<HTMLAudioElement> {
  const address = URL.createObjectURL(new Blob([bytes], { type }));
  const audio = new Audio(address);
  audio.muted = true;
  onTestFinished(() => {
    audio.pause();
    URL.revokeObjectURL(address);
  });
  await new Promise((resolve, reject) => {
    audio.onloadedmetadata = resolve;
    audio.onerror = () => reject(audio.error);
  });
  return audio;
}

async function seek(audio: HTMLAudioElement, seconds: number): Promise<void> {
  const sought = new Promise((resolve) =>
    audio.addEventListener('seeked', resolve, { once: true }),
  );
  audio.currentTime = seconds;
  await sought;
}

describe('sound encoded part by part', () => {
  it('is one sound in one file: each part in its place, to the 10 ms', async () => {
    const encoder = await createEncoder();
    const samples = makeSpeechLike(TOTAL);
    const packed = [];
    for (const part of cut(samples)) packed.push(await encoder.pack(part));
    const whole = await encoder.join(packed);
    expect(whole.type).toBe('audio/webm');
    expect(whole.durationSamples).toBe(TOTAL);
    const decoded = await encoder.decode(whole);
    expect(decoded.length).toBeGreaterThanOrEqual(TOTAL);
    expect(decoded.length).toBeLessThanOrEqual(TOTAL + msToSamples(60));
    for (const seconds of [1, 11.5, 12.2, 14.5, 15.2, 28]) {
      const start = seconds * SAMPLE_RATE_HZ;
      const part = samples.subarray(start, start + SAMPLE_RATE_HZ / 2);
      const { correlation } = compareSounds(part, decoded.subarray(start), msToSamples(10));
      expect(correlation).toBeGreaterThan(0.9);
    }
  });

  async function openJoined(): Promise<HTMLAudioElement> {
    const encoder = await createEncoder();
    const parts = cut(makeSpeechLike(TOTAL));
    return open(await encoder.join(await Promise.all(parts.map(encoder.pack))));
  }

  it('knows how long it is, and plays from where it is sought', async () => {
    const audio = await openJoined();
    const seconds = TOTAL / SAMPLE_RATE_HZ;
    expect(audio.duration).toBeGreaterThanOrEqual(seconds);
    expect(audio.duration).toBeLessThan(seconds + 0.07);
    expect(audio.seekable.end(0)).toBe(audio.duration);
    await seek(audio, 25);
    await audio.play();
    await expect.poll(() => audio.currentTime).toBeGreaterThan(25.2);
  });

  it.skipIf(isWebKit)(
    'can be sought in again as it plays, and ends (WebKitGTK: stands still after a second seek)',
    async () => {
      const audio = await openJoined();
      await audio.play();
      await seek(audio, 25);
      await seek(audio, 11.9);
      await expect.poll(() => audio.currentTime, { timeout: 3_000 }).toBeGreaterThan(12.3);
      await seek(audio, TOTAL / SAMPLE_RATE_HZ - 0.3);
      await expect.poll(() => audio.ended).toBe(true);
    },
  );

  it('is a WAV file where the codec failed on a part of it', async () => {
    let isBroken = false;
    const crashing = formats.map((format) => ({
      ...format,
      pack: (...given: Parameters<AudioFormat['pack']>) =>
        isBroken && format.type !== 'audio/wav'
          ? Promise.reject(new Error('the codec has crashed'))
          : format.pack(...given),
    }));
    const encoder = await createEncoder(crashing);
    const samples = makeSpeechLike(TOTAL);
    const [first, second, third] = cut(samples) as [Float32Array, Float32Array, Float32Array];
    const packed = [await encoder.pack(first)];
    isBroken = true;
    packed.push(await encoder.pack(second));
    isBroken = false;
    packed.push(await encoder.pack(third));
    expect(packed.map(({ type }) => type)).toEqual(['audio/webm', 'audio/wav', 'audio/webm']);
    const whole = await encoder.join(packed);
    expect(whole.type).toBe('audio/wav');
    const decoded = await encoder.decode(whole);
    expect(decoded.length).toBe(TOTAL);
    for (const seconds of [1, 12, 15, 20]) {
      const start = seconds * SAMPLE_RATE_HZ;
      const part = samples.subarray(start, start + 2 * SAMPLE_RATE_HZ);
      const { correlation } = compareSounds(part, decoded.subarray(start), msToSamples(10));
      expect(correlation).toBeGreaterThan(0.9);
    }
    expect((await open(whole)).duration).toBeCloseTo(TOTAL / SAMPLE_RATE_HZ, 3);
  });
});
