import { readFileSync } from 'node:fs';
import { readWave } from '../helpers/read-wave.ts';
import { SPOKEN_WORDS } from '../helpers/spoken-words.ts';

const RATE_HZ = 48_000;
/** A stretch of 10 ms louder than this is speech: the fixtures are made, and silent elsewhere. */
const SPEECH_LEVEL = 0.003;
const STRETCH_SAMPLES = RATE_HZ / 100;

/** A sentence in the voice, by ms since its beginning. */
export type SpokenSentence = {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
};

/** Sentences of the fixtures, one after the other, with silence of these lengths between them. */
export function makeVoice(pausesMs: readonly number[]): {
  readonly samples: Float32Array;
  readonly sentences: readonly SpokenSentence[];
} {
  const clips = (['dictation-one', 'dictation-two'] as const).map((name) => ({
    text: SPOKEN_WORDS[name],
    samples: spokenPart(
      readWave(new Uint8Array(readFileSync(`tests/fixtures/${name}.wav`)).buffer),
    ),
  }));
  const parts: Float32Array[] = [silence(1_500)];
  const sentences: SpokenSentence[] = [];
  let length = parts[0]?.length ?? 0;
  for (const [index, pauseMs] of pausesMs.entries()) {
    const { text, samples } = clips[index % clips.length] ?? { text: '', samples: silence(0) };
    const startMs = toMs(length);
    sentences.push({ text, startMs, endMs: toMs(length + samples.length) });
    parts.push(samples, silence(pauseMs));
    length += samples.length + silence(pauseMs).length;
  }
  return { samples: Float32Array.from(parts.flatMap((part) => [...part])), sentences };
}

const toMs = (samples: number): number => (samples / RATE_HZ) * 1_000;

const silence = (ms: number): Float32Array => new Float32Array(Math.round((ms / 1_000) * RATE_HZ));

function spokenPart(samples: Float32Array): Float32Array {
  const stretches = Math.floor(samples.length / STRETCH_SAMPLES);
  const loud = Array.from({ length: stretches }, (_, index) =>
    samples
      .subarray(index * STRETCH_SAMPLES, (index + 1) * STRETCH_SAMPLES)
      .some((value) => Math.abs(value) > SPEECH_LEVEL),
  );
  const end = loud.lastIndexOf(true) + 1;
  return samples.slice(loud.indexOf(true) * STRETCH_SAMPLES, end * STRETCH_SAMPLES);
}
