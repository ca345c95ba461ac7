import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { bundleStories } from './bundle.ts';
import { addUp, type StoriesEnd, type StorySeeds } from './run-stories.ts';
import type { StoryEnd } from './run-story.ts';

/** A thread's task. */
export type Wanted =
  | { readonly kind: 'one'; readonly seed: number }
  | ({ readonly kind: 'many' } & StorySeeds);

/** A thread's message. */
export type Told =
  | { readonly kind: 'failed'; readonly end: StoryEnd }
  | { readonly kind: 'done'; readonly sum: StoriesEnd };

/** A story's leavings are many and short-lived: with room for them few have to be moved. */
const YOUNG_MB = 64;

async function start(
  file: string,
  wanted: Wanted,
  onFailed: (end: StoryEnd) => void,
): Promise<readonly StoriesEnd[]> {
  const sums: StoriesEnd[] = [];
  const worker = new Worker(file, {
    workerData: wanted,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
  });
  worker.on('message', (told: Told) => {
    if (told.kind === 'failed') onFailed(told.end);
    else sums.push(told.sum);
  });
  await once(worker, 'exit');
  return sums;
}

/** Plays the stories of so many seeds in threads, which share them out between them. */
export async function playStories(
  firstSeed: number,
  stories: number,
  threads: number,
  onFailed: (end: StoryEnd) => void,
): Promise<StoriesEnd> {
  const file = await bundleStories();
  const shares = Array.from({ length: threads }, (_, thread) => {
    const share = Math.ceil((stories - thread) / threads);
    const seeds = { firstSeed: firstSeed + thread, step: threads, stories: share };
    return start(file, { kind: 'many', ...seeds }, onFailed);
  });
  return addUp((await Promise.all(shares)).flat());
}

/** Plays one story and prints what happens; false if it fails. */
export async function tellStory(seed: number): Promise<boolean> {
  let isGood = true;
  await start(await bundleStories(), { kind: 'one', seed }, () => {
    isGood = false;
  });
  return isGood;
}
