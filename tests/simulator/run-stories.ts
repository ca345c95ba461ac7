import { runStory, type StoryEnd } from './run-story.ts';
import { makeStory } from './story.ts';

/** What came of many stories. */
export type StoriesEnd = {
  readonly stories: number;
  readonly failed: number;
  readonly words: number;
  readonly lost: number;
  readonly doubled: number;
  readonly tasks: number;
  /** Faults that have struck, by kind. */
  readonly faults: Readonly<Record<string, number>>;
};

/** Plays the stories of so many seeds, one after the other. */
export async function runStories(
  firstSeed: number,
  stories: number,
  onFailed: (end: StoryEnd) => void,
): Promise<StoriesEnd> {
  const sum = { stories, failed: 0, words: 0, lost: 0, doubled: 0, tasks: 0 };
  const faults: Record<string, number> = {};
  for (let seed = firstSeed; seed < firstSeed + stories; seed += 1) {
    const end = await runStory(makeStory(seed));
    sum.words += end.words;
    sum.lost += end.lost;
    sum.doubled += end.doubled;
    sum.tasks += end.tasks;
    for (const [kind, count] of Object.entries(end.faults)) {
      faults[kind] = (faults[kind] ?? 0) + count;
    }
    if (end.wrongs.length === 0) continue;
    sum.failed += 1;
    onFailed(end);
  }
  return { ...sum, faults };
}
