import { SAMPLE_RATE_HZ } from '../../../src/core/audio/audio-format.ts';
import { browserClock } from '../../../src/core/browser-clock.ts';
import { createAudioEncoder } from '../../../workers/encoding/audio-encoder.ts';
import { audioFormats } from '../../../workers/encoding/audio-formats.ts';
import { readWav } from '../../../workers/encoding/wav-file.ts';

const MINUTE_SAMPLES = 60 * SAMPLE_RATE_HZ;

const encoder = createAudioEncoder({
  clock: browserClock,
  log: console,
  formats: audioFormats(''),
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
  type: () => encoder.chooseType(),
};

export type RecordingBench = typeof bench;

Object.assign(globalThis, { bench });
