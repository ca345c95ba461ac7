import { SAMPLE_RATE_HZ } from '../../src/core/audio/audio-format.ts';

/** The formants of a few vowels, Hz. */
const VOWELS = [
  [730, 1_090, 2_440],
  [270, 2_290, 3_010],
  [530, 1_840, 2_480],
  [300, 870, 2_240],
] as const;

const SYLLABLES_PER_SECOND = 4;

/**
 * Something with the shape of speech, the same every time: four syllables a second, each a hiss and
 * a gliding vowel, with a pause after each eighth.
 */
export function makeSpeechLike(durationSamples: number): Float32Array {
  const noise = createNoise();
  const samples = new Float32Array(durationSamples);
  const phases = [0, 0, 0, 0];
  for (let index = 0; index < durationSamples; index += 1) {
    const seconds = index / SAMPLE_RATE_HZ;
    const syllable = Math.floor(seconds * SYLLABLES_PER_SECOND);
    const place = seconds * SYLLABLES_PER_SECOND - syllable;
    const isPause = syllable % 8 === 7;
    const hiss = place < 0.2 ? 0.08 * noise() : 0.002 * noise();
    const envelope = isPause || place < 0.15 ? 0 : Math.sin((Math.PI * (place - 0.15)) / 0.85);
    const pitchHz = 110 + 25 * Math.sin(seconds * 1.7);
    phases[0] = (phases[0] ?? 0) + pitchHz / SAMPLE_RATE_HZ;
    const source = 0.5 + 0.5 * Math.cos(2 * Math.PI * phases[0]);
    const formants = VOWELS[syllable % VOWELS.length] ?? VOWELS[0];
    let voice = 0;
    for (const [formant, hz] of formants.entries()) {
      const phase = (phases[formant + 1] ?? 0) + (hz * (1 + 0.1 * place)) / SAMPLE_RATE_HZ;
      phases[formant + 1] = phase;
      voice += Math.sin(2 * Math.PI * phase) / (formant + 1);
    }
    samples[index] = 0.3 * envelope * source ** 3 * voice + (isPause ? 0.002 * noise() : hiss);
  }
  return samples;
}

/** White noise, -1 to 1, the same every time. */
function createNoise(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return state / 0x3fff_ffff - 1;
  };
}
