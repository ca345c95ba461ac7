import { expect, test } from 'vitest';
import { runStories } from '../simulator/run-stories.ts';
import { runStory } from '../simulator/run-story.ts';
import { makeStory } from '../simulator/story.ts';

/** As many as half a minute of a busy core plays; more: `npm run simulate`. */
const STORIES = 500;

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

test('what is spoken behind a recording whose worker hangs is not lost with that worker', async () => {
  const { wrongs, words } = await runStory({
    seed: 446,
    knowsAudio: true,
    chunkMs: 1_500,
    events: [
      { kind: 'open', tab: 0, atMs: 0 },
      { kind: 'start', tab: 0, speech: 845_105_161, insertion: 'in', atMs: 1_850 },
      { kind: 'hang-worker', tab: 0, forMs: 11_450, atMs: 3_400 },
      { kind: 'stop', tab: 0, atMs: 4_030 },
      { kind: 'start', tab: 0, speech: 678_326_101, insertion: 'in', atMs: 7_370 },
      { kind: 'stop', tab: 0, atMs: 10_120 },
      { kind: 'stop-waiting', tab: 0, atMs: 12_330 },
      { kind: 'online', tab: 0, atMs: 14_100 },
    ],
  });
  expect(words).toBeGreaterThan(40);
  expect(wrongs).toEqual([]);
});
