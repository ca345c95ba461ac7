import { parentPort, workerData } from 'node:worker_threads';
import { runStories } from './run-stories.ts';
import { runStory } from './run-story.ts';
import { shrink } from './shrink.ts';
import { makeStory } from './story.ts';
import type { Told, Wanted } from './threads.ts';

const tell = (told: Told): void => parentPort?.postMessage(told);

/** One story, told; if it fails, the shortest that fails like it. */
async function tellOne(seed: number): Promise<void> {
  const end = await runStory(makeStory(seed), { say: console.log });
  console.log(end);
  if (end.wrongs.length === 0) return;
  tell({ kind: 'failed', end });
  const { events } = await shrink(makeStory(seed), runStory);
  console.log('\nThe shortest story that fails like it:');
  const shortest = await runStory({ ...makeStory(seed), events }, { say: console.log });
  console.log(shortest.wrongs.join('\n'));
  console.log('\nIts events:');
  for (const event of events) console.log(JSON.stringify(event));
}

// A stack for each error that is made to happen would cost more than the error.
Error.stackTraceLimit = 0;

const wanted: Wanted = workerData;
if (wanted.kind === 'one') await tellOne(wanted.seed);
else {
  const { firstSeed, step, stories } = wanted;
  const sum = await runStories({ firstSeed, step, stories }, (end) =>
    tell({ kind: 'failed', end }),
  );
  tell({ kind: 'done', sum });
}
