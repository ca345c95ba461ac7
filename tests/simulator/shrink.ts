import type { StoryEnd } from './run-story.ts';
import type { Story } from './story.ts';

/** The faults without names and numbers: a shrunk story must fail in the same way. */
export function kindsOf({ wrongs }: StoryEnd): ReadonlySet<string> {
  return new Set(wrongs.map((wrong) => wrong.replace(/[\d.]+|:.*$/g, '').replace(/s\d*\b/g, '')));
}

/** Leaves out events for as long as the story still fails in one of the ways it did. */
export async function shrink(
  story: Story,
  run: (story: Story) => Promise<StoryEnd>,
): Promise<Story> {
  const wanted = kindsOf(await run(story));
  let smallest = story;
  for (let size = Math.ceil(story.events.length / 2); size >= 1; ) {
    let isSmaller = false;
    for (let from = 0; from < smallest.events.length; ) {
      const { events } = smallest;
      const fewer = { ...smallest, events: events.toSpliced(from, size) };
      const kinds = kindsOf(await run(fewer));
      if ([...kinds].some((kind) => wanted.has(kind))) {
        smallest = fewer;
        isSmaller = true;
      } else from += size;
    }
    if (size > 1) size = Math.floor(size / 2);
    else if (!isSmaller) break;
  }
  return smallest;
}
