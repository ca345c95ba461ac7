import { describe, expect, it, vi } from 'vitest';
import { assetAddresses } from '../../src/assets/addresses.ts';
import { msToSamples, SAMPLE_RATE_HZ } from '../../src/core/audio/audio-format.ts';
import { browserClock } from '../../src/platform/browser-clock.ts';
import { createAudioEncoder } from '../../workers/audio/audio-encoder.ts';
import { type AudioFormat, audioFormats, WAV } from '../../workers/audio/audio-formats.ts';
import { isWebKit } from '../helpers/engine.ts';
import { compareSounds } from '../helpers/likeness.ts';
import { createRecordingLog } from '../helpers/recording-log.ts';
import { makeSpeechLike } from '../helpers/speech-like.ts';

/** One packet and the silence behind the last sample. */
const SPARE_SAMPLES = msToSamples(60);

/** Opus's delay is 6.5 ms. */
const MAX_LAG_SAMPLES = msToSamples(7);

const FORMATS = audioFormats(assetAddresses().forWorker);
const SCRIPT = FORMATS.filter(({ isScript }) => isScript);

function createEncoder(formats: readonly AudioFormat[] = FORMATS) {
  const log = createRecordingLog();
  return { encoder: createAudioEncoder({ clock: browserClock, log, formats }), log };
}

function textAt(bytes: ArrayBuffer, offset: number, length: number): string {
  return new TextDecoder().decode(new Uint8Array(bytes, offset, length));
}

function encodesWebM(formats: readonly AudioFormat[]): void {
  async function createProven() {
    const { encoder } = createEncoder(formats);
    await encoder.proveFiles();
    return encoder;
  }

  it('is chosen first, and its file is WebM with Opus in it', async () => {
    const encoder = await createProven();
    expect(await encoder.chooseType()).toBe('audio/webm');
    const audio = await encoder.encode(makeSpeechLike(SAMPLE_RATE_HZ));
    expect(audio.type).toBe('audio/webm');
    expect([...new Uint8Array(audio.bytes, 0, 4)]).toEqual([0x1a, 0x45, 0xdf, 0xa3]);
    const head = textAt(audio.bytes, 0, 600);
    expect(head).toContain('webm');
    expect(head).toContain('A_OPUS');
    expect(head).toContain('OpusHead');
  });

  it.each([10 * SAMPLE_RATE_HZ, 10 * SAMPLE_RATE_HZ + 777])(
    'gives %i samples back: their length and their sound, from the first to the last',
    async (durationSamples) => {
      const encoder = await createProven();
      const samples = makeSpeechLike(durationSamples);
      const audio = await encoder.encode(samples);
      expect(audio.durationSamples).toBe(durationSamples);
      const decoded = await encoder.decode(audio);
      expect(decoded.length).toBeGreaterThanOrEqual(durationSamples);
      expect(decoded.length).toBeLessThanOrEqual(durationSamples + SPARE_SAMPLES);

      const whole = compareSounds(samples, decoded, MAX_LAG_SAMPLES);
      expect(whole.correlation).toBeGreaterThan(0.95);
      for (const start of [0, durationSamples - 8_000]) {
        const part = samples.subarray(start, start + 8_000);
        const { correlation, lagSamples } = compareSounds(
          part,
          decoded.subarray(start),
          MAX_LAG_SAMPLES,
        );
        expect(correlation).toBeGreaterThan(0.9);
        expect(Math.abs(lagSamples - whole.lagSamples)).toBeLessThanOrEqual(2);
      }
    },
  );

  it('encodes what is shorter than a packet', async () => {
    const encoder = await createProven();
    const audio = await encoder.encode(makeSpeechLike(100));
    expect((await encoder.decode(audio)).length).toBeGreaterThanOrEqual(100);
  });

  it('keeps 90 s within 410 kB', async () => {
    const encoder = await createProven();
    const audio = await encoder.encode(makeSpeechLike(90 * SAMPLE_RATE_HZ));
    expect(audio.bytes.byteLength).toBeLessThanOrEqual(410_000);
    expect(audio.bytes.byteLength).toBeGreaterThan(200_000);
  });

  it('does not run into itself', async () => {
    const encoder = await createProven();
    const lengths = [16_000, 32_000, 48_000];
    const audios = await Promise.all(lengths.map((n) => encoder.encode(makeSpeechLike(n))));
    const decoded = await Promise.all(audios.map((audio) => encoder.decode(audio)));
    for (const [index, samples] of decoded.entries()) {
      const original = makeSpeechLike(lengths[index]!);
      expect(compareSounds(original, samples, MAX_LAG_SAMPLES).correlation).toBeGreaterThan(0.9);
    }
  });
}

describe.skipIf(isWebKit)(
  'webm by the browser itself (WebKitGTK: its own packets have no true length)',
  () => encodesWebM(FORMATS),
);
describe('webm by a script', () => encodesWebM([...SCRIPT, WAV]));

describe('the other formats', () => {
  it('is WAV from the start where packets have no true length, Opus elsewhere', async () => {
    const { encoder } = createEncoder();
    expect(await encoder.chooseType()).toBe(isWebKit ? 'audio/wav' : 'audio/webm');
  });

  it('is Opus by a script where the browser has no codec, and WAV until that is there', async () => {
    vi.stubGlobal('AudioEncoder', undefined);
    try {
      const { encoder } = createEncoder();
      const samples = makeSpeechLike(5 * SAMPLE_RATE_HZ);
      expect((await encoder.encode(samples)).type).toBe('audio/wav');
      await encoder.proveFiles();
      expect(await encoder.chooseType()).toBe('audio/webm');
      const audio = await encoder.encode(samples);
      expect(audio.type).toBe('audio/webm');
      expect(audio.bytes.byteLength).toBeLessThan(25_000);
      const decoded = await encoder.decode(audio);
      expect(compareSounds(samples, decoded, MAX_LAG_SAMPLES).correlation).toBeGreaterThan(0.9);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it('stays WAV where the script cannot be had', async () => {
    vi.stubGlobal('AudioEncoder', undefined);
    try {
      const { forWorker } = assetAddresses();
      const opus = new URL('/no-such-worker.js', location.href).href;
      const { encoder } = createEncoder(audioFormats({ ...forWorker, opus }));
      await encoder.proveFiles();
      expect(await encoder.chooseType()).toBe('audio/wav');
      expect((await encoder.encode(makeSpeechLike(1_000))).type).toBe('audio/wav');
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it('falls over from what the browser cannot do down to WAV', async () => {
    vi.stubGlobal('AudioEncoder', undefined);
    try {
      const { encoder, log } = createEncoder();
      expect(await encoder.chooseType()).toBe('audio/wav');
      expect(log.lines).toHaveLength(2);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it('takes a format from its own browser only: MP4 where there is AAC, else WAV', async () => {
    const { encoder } = createEncoder(FORMATS.filter(({ type }) => type !== 'audio/webm'));
    const samples = makeSpeechLike(2 * SAMPLE_RATE_HZ);
    const audio = await encoder.encode(samples);
    const decoded = await encoder.decode(audio);
    if (audio.type === 'audio/mp4') {
      expect(textAt(audio.bytes, 4, 4)).toBe('ftyp');
      expect(decoded.length).toBeGreaterThanOrEqual(samples.length);
    } else {
      expect(audio.type).toBe('audio/wav');
      expect(decoded.length).toBe(samples.length);
    }
    expect(compareSounds(samples, decoded, 3_000).correlation).toBeGreaterThan(0.9);
  });

  it('is not taken in by an encoder that says yes and gives nothing', async () => {
    class Mute extends AudioEncoder {
      override encode(): void {}
    }
    vi.stubGlobal('AudioEncoder', Mute);
    try {
      const { encoder } = createEncoder();
      expect((await AudioEncoder.isConfigSupported(OPUS_CONFIG)).supported).toBe(true);
      expect(await encoder.chooseType()).toBe('audio/wav');
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it('is not taken in by packets that say they are as long as all that went in', async () => {
    class Vague extends AudioEncoder {
      constructor({ output, error }: AudioEncoderInit) {
        super({ error, output: (chunk, metadata) => output(secondLong(chunk), metadata) });
      }
    }
    vi.stubGlobal('AudioEncoder', Vague);
    try {
      const { encoder } = createEncoder();
      const samples = makeSpeechLike(3 * SAMPLE_RATE_HZ);
      expect((await encoder.encode(samples)).type).toBe('audio/wav');
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it.skipIf(isWebKit)(
    'still has Opus where the lean settings are refused (WebKitGTK: writes WAV)',
    async () => {
      class Plain extends AudioEncoder {
        override configure(config: AudioEncoderConfig): void {
          if (config.opus) throw new DOMException('Not like that', 'NotSupportedError');
          super.configure(config);
        }
      }
      vi.stubGlobal('AudioEncoder', Plain);
      try {
        const { encoder } = createEncoder();
        expect((await encoder.encode(makeSpeechLike(16_000))).type).toBe('audio/webm');
      } finally {
        vi.unstubAllGlobals();
      }
    },
  );

  it('rejects a file that is none', async () => {
    const { encoder } = createEncoder();
    const bytes = new Uint8Array(500).fill(7).buffer;
    await expect(
      encoder.decode({ type: 'audio/webm', bytes, durationSamples: 16_000 }),
    ).rejects.toMatchObject({ code: 'encoding-failed' });
  });
});

/** As WebKitGTK has it. */
function secondLong(chunk: EncodedAudioChunk): EncodedAudioChunk {
  const data = new ArrayBuffer(chunk.byteLength);
  chunk.copyTo(data);
  return new EncodedAudioChunk({
    type: chunk.type,
    timestamp: Math.floor(chunk.timestamp / 1_000_000) * 1_000_000,
    duration: 1_000_000,
    data,
  });
}

const OPUS_CONFIG = { codec: 'opus', sampleRate: 16_000, numberOfChannels: 1, bitrate: 32_000 };
