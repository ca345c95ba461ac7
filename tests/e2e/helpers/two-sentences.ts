import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readWave } from '../../helpers/read-wave.ts';
import { SPOKEN_WORDS } from '../../helpers/spoken-words.ts';
import { waveFile } from '../../helpers/wave-file.ts';

/** The words of `writeTwoSentences`. */
export const TWO_SENTENCES = `${SPOKEN_WORDS['dictation-one']} ${SPOKEN_WORDS['dictation-two']}`;

/** Writes two sentences, two seconds and more between them, for a microphone; answers the path. */
export function writeTwoSentences(): string {
  const path = resolve('.cache/two-sentences.wav');
  const clips = ['dictation-one', 'dictation-two'].map((name) =>
    readWave(new Uint8Array(readFileSync(`tests/fixtures/${name}.wav`)).buffer),
  );
  mkdirSync(resolve('.cache'), { recursive: true });
  writeFileSync(path, waveFile(48_000, Float32Array.from(clips.flatMap((clip) => [...clip]))));
  return path;
}
