import { SAMPLE_RATE_HZ } from '../../src/core/audio/audio-format.ts';
import { seededRandom } from './seeded-random.ts';

/** Sounds that are no speech, 16 kHz mono, one for each seed. Levels are over the whole sound. */

export function whiteNoise(samples: number, levelDbfs: number, seed: number): Float32Array {
  const random = seededRandom(seed);
  return atLevel(
    Float32Array.from({ length: samples }, () => 2 * random() - 1),
    levelDbfs,
  );
}

/** Falls by 3 dB an octave, as rooms do: Paul Kellet's three poles. */
export function pinkNoise(samples: number, levelDbfs: number, seed: number): Float32Array {
  const random = seededRandom(seed);
  let [low, middle, high] = [0, 0, 0];
  const sound = Float32Array.from({ length: samples }, () => {
    const white = 2 * random() - 1;
    low = 0.99765 * low + 0.099046 * white;
    middle = 0.963 * middle + 0.2965164 * white;
    high = 0.57 * high + 1.0526913 * white;
    return low + middle + high + 0.1848 * white;
  });
  return atLevel(sound, levelDbfs);
}

/** Somebody types: three keys a second, each down and mostly up again, 2 to 8 ms long. */
export function keyClicks(samples: number, peakDbfs: number, seed: number): Float32Array {
  const random = seededRandom(seed);
  const sound = new Float32Array(samples);
  const hit = (at: number, amplitude: number): void => {
    const decay = SAMPLE_RATE_HZ * (0.002 + 0.006 * random());
    const turn = (2 * Math.PI * (1_500 + 3_500 * random())) / SAMPLE_RATE_HZ;
    for (let n = 0; n < 800 && at + n < samples; n++) {
      const body = 0.6 * (2 * random() - 1) + 0.4 * Math.sin(turn * n);
      sound[at + n]! += amplitude * Math.exp(-n / decay) * body;
    }
  };
  for (let at = 0; at < samples; at += Math.floor(SAMPLE_RATE_HZ * (0.1 + 0.47 * random()))) {
    const amplitude = amplitudeOf(peakDbfs + 6 * (random() - 0.5));
    hit(at, amplitude);
    if (random() < 0.7) hit(at + 1_400, amplitude / 2);
  }
  return sound;
}

/** In and out, every 3.6 s. */
export function breath(samples: number, levelDbfs: number, seed: number): Float32Array {
  const hump = (from: number, length: number, at: number): number =>
    at > from && at < from + length ? Math.sin((Math.PI * (at - from)) / length) ** 2 : 0;
  const air = bandNoise(samples, seed, 500, 3_500);
  const sound = air.map((value, n) => {
    const at = (n / SAMPLE_RATE_HZ) % 3.6;
    return value * (hump(0, 1.1, at) + 0.6 * hump(1.5, 1.4, at));
  });
  return atLevel(sound, levelDbfs);
}

/** Low air noise that beats, and its blades. */
export function fan(samples: number, levelDbfs: number, seed: number): Float32Array {
  const air = atLevel(bandNoise(samples, seed, 30, 600), 0);
  const sound = air.map((value, n) => {
    const turn = (2 * Math.PI * n) / SAMPLE_RATE_HZ;
    const blades = 0.4 * Math.sin(118 * turn) + 0.25 * Math.sin(236 * turn);
    return value * (1 + 0.15 * Math.sin(7.3 * turn)) + blades;
  });
  return atLevel(sound, levelDbfs);
}

/** 50 Hz and six harmonics. */
export function mainsHum(samples: number, levelDbfs: number): Float32Array {
  const sound = Float32Array.from({ length: samples }, (_, n) => {
    let sum = 0;
    for (let h = 1; h < 8; h++) {
      sum += Math.sin((2 * Math.PI * 50 * h * n) / SAMPLE_RATE_HZ + h) / h;
    }
    return sum;
  });
  return atLevel(sound, levelDbfs);
}

/** Three plucked voices in a minor, each note by chance. */
export function music(samples: number, levelDbfs: number, seed: number): Float32Array {
  const random = seededRandom(seed);
  const sound = new Float32Array(samples);
  for (const octave of [0.5, 1, 1]) {
    for (let at = 0; at < samples; ) {
      const length = Math.floor(SAMPLE_RATE_HZ * (0.2 + 0.25 * Math.floor(3 * random())));
      const turn = (2 * Math.PI * octave * noteHz(random())) / SAMPLE_RATE_HZ;
      const isRest = random() > 0.85;
      for (let n = 0; n < length && at + n < samples && !isRest; n++) {
        const envelope = Math.min(1, n / 200) * Math.exp(-n / (0.35 * SAMPLE_RATE_HZ));
        for (let h = 1; h < 6; h++)
          sound[at + n]! += (envelope * Math.sin(turn * h * n)) / h ** 1.3;
      }
      at += length;
    }
  }
  return atLevel(sound, levelDbfs);
}

/** Tones that waver as a voice does, 0.5 to 2 s long, with pauses of up to 2.2 s. */
export function sungTones(samples: number, levelDbfs: number, seed: number): Float32Array {
  const random = seededRandom(seed);
  const sound = new Float32Array(samples);
  for (let at = 0; at < samples; ) {
    const length = Math.floor(SAMPLE_RATE_HZ * (0.5 + 1.5 * random()));
    const pitchHz = noteHz(random());
    let phase = 0;
    for (let n = 0; n < length && at + n < samples; n++) {
      const waver = 1 + 0.01 * Math.sin((2 * Math.PI * 5 * n) / SAMPLE_RATE_HZ);
      phase += (2 * Math.PI * pitchHz * waver) / SAMPLE_RATE_HZ;
      const envelope = Math.min(1, n / 800, (length - n) / 800);
      const tone = Math.sin(phase) + 0.5 * Math.sin(2 * phase) + 0.3 * Math.sin(3 * phase);
      sound[at + n] = envelope * tone;
    }
    at += length + Math.floor(SAMPLE_RATE_HZ * (0.2 + 2 * random()));
  }
  return atLevel(sound, levelDbfs);
}

/** Many speak at once: the given voices by chance, over one another. */
export function babble(
  samples: number,
  levelDbfs: number,
  { seed, speech, voices = 8 }: { seed: number; speech: readonly Float32Array[]; voices?: number },
): Float32Array {
  const random = seededRandom(seed);
  const sound = new Float32Array(samples);
  for (let voice = 0; voice < voices; voice++) {
    let at = -Math.floor(2 * SAMPLE_RATE_HZ * random());
    while (at < samples) {
      const said = speech[Math.floor(speech.length * random())] ?? new Float32Array(1);
      for (let n = Math.max(0, -at); n < said.length && at + n < samples; n++) {
        sound[at + n]! += said[n]!;
      }
      at += said.length + Math.floor(0.3 * SAMPLE_RATE_HZ * random());
    }
  }
  return atLevel(sound, levelDbfs);
}

/** The sum of sounds of one length. */
export function together(...sounds: readonly Float32Array[]): Float32Array {
  const [first = new Float32Array(0), ...others] = sounds;
  return first.map((value, n) => others.reduce((sum, other) => sum + (other[n] ?? 0), value));
}

/** The sound as loud as wanted, measured over all of it. */
export function atLevel(sound: Float32Array, levelDbfs: number): Float32Array {
  const power = sound.reduce((sum, value) => sum + value * value, 0) / sound.length;
  const gain = amplitudeOf(levelDbfs) / Math.sqrt(power || 1);
  return sound.map((value) => value * gain);
}

export function amplitudeOf(dbfs: number): number {
  return 10 ** (dbfs / 20);
}

/** A note of the minor scale on a, from a number 0 to 1. */
function noteHz(place: number): number {
  const scale = [220, 247, 262, 294, 330, 349, 392, 440];
  return scale[Math.floor(place * scale.length)] ?? 220;
}

/** White noise through a pole at each end. */
function bandNoise(samples: number, seed: number, fromHz: number, toHz: number): Float32Array {
  const random = seededRandom(seed);
  const pole = (hz: number) => Math.exp((-2 * Math.PI * hz) / SAMPLE_RATE_HZ);
  const [upper, lower] = [pole(toHz), pole(fromHz)];
  let [below, far] = [0, 0];
  return Float32Array.from({ length: samples }, () => {
    below = upper * below + (1 - upper) * (2 * random() - 1);
    far = lower * far + (1 - lower) * below;
    return below - far;
  });
}
