import { describe, expect, it, onTestFinished } from 'vitest';
import { assetAddresses } from '../../src/assets/addresses.ts';
import { msToSamples, SAMPLE_RATE_HZ } from '../../src/core/audio/audio-format.ts';
import type { AudioType, EncodedAudio } from '../../src/core/audio/audio-types.ts';
import { browserClock } from '../../src/core/browser-clock.ts';
import { createAudioEncoder } from '../../workers/encoding/audio-encoder.ts';
import { type AudioFormat, audioFormats } from '../../workers/encoding/audio-formats.ts';
import { isWebKit } from '../helpers/engine.ts';
import { compareSounds } from '../helpers/likeness.ts';
import { createRecordingLog } from '../helpers/recording-log.ts';
import { makeSpeechLike } from '../helpers/speech-like.ts';

/** Whole packets of 40 ms, as a recording's stretches are. */
const PARTS = [12 * SAMPLE_RATE_HZ, 3 * SAMPLE_RATE_HZ, 15 * SAMPLE_RATE_HZ + 777];
const TOTAL = PARTS.reduce((sum, samples) => sum + samples, 0);

const formats = audioFormats(assetAddresses().forWorker.reader);

function createEncoder(of: Readonly<Record<AudioType, AudioFormat>> = formats) {
  return createAudioEncoder({ clock: browserClock, log: createRecordingLog(), formats: of });
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

/** WebKitGTK's packets have no true length. */
const OWN_TYPE = isWebKit ? 'audio/wav' : 'audio/webm';

describe('sound encoded part by part', () => {
  it('is one sound in one file: each part in its place, to the 10 ms', async () => {
    const encoder = createEncoder();
    const samples = makeSpeechLike(TOTAL);
    const packed = [];
    for (const part of cut(samples)) packed.push(await encoder.pack(part));
    const whole = await encoder.join(packed);
    expect(whole.type).toBe(OWN_TYPE);
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

  it.skipIf(isWebKit)(
    'plays, knows how long it is, and can be sought in (WebKitGTK: stands still after a second seek)',
    async () => {
      const encoder = createEncoder();
      const parts = cut(makeSpeechLike(TOTAL));
      const audio = await open(await encoder.join(await Promise.all(parts.map(encoder.pack))));
      const seconds = TOTAL / SAMPLE_RATE_HZ;
      expect(audio.duration).toBeGreaterThanOrEqual(seconds);
      expect(audio.duration).toBeLessThan(seconds + 0.07);
      expect(audio.seekable.end(0)).toBe(audio.duration);
      await seek(audio, 25);
      await audio.play();
      await expect.poll(() => audio.currentTime).toBeGreaterThan(25.2);
      await seek(audio, 11.9);
      await expect.poll(() => audio.currentTime, { timeout: 3_000 }).toBeGreaterThan(12.3);
      await seek(audio, seconds - 0.3);
      await expect.poll(() => audio.ended).toBe(true);
    },
  );

  it('is a WAV file where the codec failed on a part of it', async () => {
    const webm = { ...formats['audio/webm'] };
    const encoder = createEncoder({ ...formats, 'audio/webm': webm });
    const samples = makeSpeechLike(TOTAL);
    const [first, second, third] = cut(samples) as [Float32Array, Float32Array, Float32Array];
    const packed = [await encoder.pack(first)];
    webm.pack = () => Promise.reject(new Error('the codec has crashed'));
    packed.push(await encoder.pack(second));
    webm.pack = formats['audio/webm'].pack;
    packed.push(await encoder.pack(third));
    expect(packed.map(({ type }) => type)).toEqual([OWN_TYPE, 'audio/wav', OWN_TYPE]);
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
