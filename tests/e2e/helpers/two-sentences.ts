import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readWave } from '../../helpers/read-wave.ts';
import { SPOKEN_WORDS } from '../../helpers/spoken-words.ts';
import { waveFile } from '../../helpers/wave-file.ts';

/** The words of `writeTwoSentences`. */
export const TWO_SENTENCES = `${SPOKEN_WORDS['dictation-one']} ${SPOKEN_WORDS['dictation-two']}`;

/**
 * Writes two sentences, two seconds and more between them, and `moreSeconds`, for a microphone;
 * answers the path.
 */
export function writeTwoSentences(moreSeconds = 0): string {
  const path = resolve(`.cache/two-sentences-${moreSeconds}.wav`);
  const [one, two] = (['dictation-one', 'dictation-two'] as const).map((name) =>
    readWave(new Uint8Array(readFileSync(`tests/fixtures/${name}.wav`)).buffer),
  );
  const quiet = new Float32Array(moreSeconds * 48_000);
  mkdirSync(resolve('.cache'), { recursive: true });
  const all = [one, quiet, two].flatMap((part) => [...(part ?? [])]);
  writeFileSync(path, waveFile(48_000, Float32Array.from(all)));
  return path;
}
