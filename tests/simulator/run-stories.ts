import { runStory, type StoryEnd } from './run-story.ts';
import { makeStory } from './story.ts';

/** The result of many stories. */
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

/** Which stories: those of so many seeds, each `step` behind the one before. */
export type StorySeeds = {
  readonly firstSeed: number;
  readonly step: number;
  readonly stories: number;
};

const NONE: StoriesEnd = {
  stories: 0,
  failed: 0,
  words: 0,
  lost: 0,
  doubled: 0,
  tasks: 0,
  faults: {},
};

/** Plays the stories of some seeds, one after the other. */
export async function runStories(
  { firstSeed, step, stories }: StorySeeds,
  onFailed: (end: StoryEnd) => void,
): Promise<StoriesEnd> {
  let sum = NONE;
  for (let played = 0; played < stories; played += 1) {
    const end = await runStory(makeStory(firstSeed + played * step));
    const hasFailed = end.wrongs.length > 0;
    sum = addUp([sum, { ...end, stories: 1, failed: hasFailed ? 1 : 0 }]);
    if (hasFailed) onFailed(end);
  }
  return sum;
}

/** The sum of what came of some stories and of others. */
export function addUp(ends: readonly StoriesEnd[]): StoriesEnd {
  return ends.reduce((sum, end) => {
    const faults: Record<string, number> = { ...sum.faults };
    for (const [kind, count] of Object.entries(end.faults)) {
      faults[kind] = (faults[kind] ?? 0) + count;
    }
    return {
      stories: sum.stories + end.stories,
      failed: sum.failed + end.failed,
      words: sum.words + end.words,
      lost: sum.lost + end.lost,
      doubled: sum.doubled + end.doubled,
      tasks: sum.tasks + end.tasks,
      faults,
    };
  }, NONE);
}
