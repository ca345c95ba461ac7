import { SAMPLE_RATE_HZ } from '../../../src/core/audio/audio-format.ts';
import type { EncodedAudio } from '../../../src/core/audio/audio-types.ts';
import { browserClock } from '../../../src/platform/browser-clock.ts';
import { createAudioEncoder } from '../../../workers/audio/audio-encoder.ts';
import { audioFormats } from '../../../workers/audio/audio-formats.ts';
import { readWav } from '../../../workers/audio/wav-file.ts';
import { type Keeping, keepMinutes, type Written } from './keep-minutes.ts';

const MINUTE_SAMPLES = 60 * SAMPLE_RATE_HZ;

const encoder = createAudioEncoder({
  clock: browserClock,
  log: console,
  formats: audioFormats({ reader: '', opus: '' }),
});

async function voice(): Promise<Float32Array> {
  const wav = await (await fetch('/tests/fixtures/dictation-one.wav')).arrayBuffer();
  const once = readWav(wav);
  return Float32Array.from(
    { length: MINUTE_SAMPLES },
    (_, index) => once[index % once.length] ?? 0,
  );
}

/** A room: noise 60 dB below full scale. */
function quiet(): Float32Array {
  return Float32Array.from({ length: MINUTE_SAMPLES }, () => (Math.random() - 0.5) * 0.002);
}

const sounds = { voice: await voice(), quiet: quiet() };

let chunk: EncodedAudio | undefined;

const bench = {
  /** Packs so many minutes, one after the other; the bytes of one. */
  async pack(kind: keyof typeof sounds, minutes: number): Promise<number> {
    let bytes = 0;
    for (let minute = 0; minute < minutes; minute += 1) {
      const packed = await encoder.pack(sounds[kind]);
      bytes = packed.bytes.byteLength;
    }
    return bytes;
  },
  /** Stores so many minutes of speech. */
  async keep(keeping: Keeping, minutes: number): Promise<Written> {
    chunk ??= await encoder.encode(sounds.voice);
    return keepMinutes(keeping, { minute: sounds.voice, minutes, chunk, packer: encoder });
  },
  type: () => encoder.chooseType(),
};

export type RecordingBench = typeof bench;

Object.assign(globalThis, { bench });
