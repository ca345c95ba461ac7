import { expect, test } from 'vitest';
import { runStories } from '../simulator/run-stories.ts';
import { runStory } from '../simulator/run-story.ts';
import { makeStory } from '../simulator/story.ts';

const STORIES = 2_000;

test('made stories end with every word delivered once or still offered', async () => {
  const failed: string[] = [];
  const { words, faults } = await runStories(1, STORIES, ({ seed, wrongs }) => {
    failed.push(`npm run simulate -- --one ${seed}: ${wrongs.join('; ')}`);
  });
  expect(failed).toEqual([]);
  // That something happened at all.
  expect(words).toBeGreaterThan(10 * STORIES);
  expect(Object.keys(faults).length).toBeGreaterThan(25);
}, 300_000);

test('a seed tells the same story again', async () => {
  const [one, again] = [await runStory(makeStory(7)), await runStory(makeStory(7))];
  expect(again).toEqual(one);
});
