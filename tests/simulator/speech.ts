import { seededRandom } from '../helpers/seeded-random.ts';

/** When somebody speaks, frame by frame: by turns for up to 2.5 s, and silent for up to 2 s. */
export function speechOf(seed: number): (frame: number) => boolean {
  const random = seededRandom(seed);
  const ends: number[] = [Math.floor(random() * 6)];
  return (frame) => {
    for (let last = ends.at(-1) ?? 0; last <= frame; last = ends.at(-1) ?? 0) {
      const isSpeech = ends.length % 2 === 1;
      ends.push(last + 1 + Math.floor(random() * (isSpeech ? 26 : 20)));
    }
    // Before the first end there is silence, then speech, and so on.
    return ends.findIndex((end) => frame < end) % 2 === 1;
  };
}
