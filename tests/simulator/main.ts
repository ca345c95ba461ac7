import { parseArgs } from 'node:util';
import { runStories } from './run-stories.ts';
import { runStory } from './run-story.ts';
import { shrink } from './shrink.ts';
import { makeStory } from './story.ts';

const { values } = parseArgs({
  options: {
    stories: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    one: { type: 'string' },
  },
});

/** One story, told; if it fails, the shortest that fails like it. */
async function tellOne(seed: number): Promise<boolean> {
  const end = await runStory(makeStory(seed), { say: (line) => console.log(line) });
  console.log(end);
  if (end.wrongs.length === 0) return true;
  const { events } = await shrink(makeStory(seed), runStory);
  console.log('\nThe shortest story that fails like it:');
  await runStory({ ...makeStory(seed), events }, { say: (line) => console.log(line) });
  console.log('\nIts events:');
  for (const event of events) console.log(JSON.stringify(event));
  return false;
}

async function runMany(): Promise<boolean> {
  const startedMs = performance.now();
  const first = Number(values.seed);
  const sum = await runStories(first, Number(values.stories), ({ seed, wrongs }) => {
    console.log(`FAILED: --one ${seed}: ${wrongs.join('; ').slice(0, 300)}`);
  });
  const seconds = (performance.now() - startedMs) / 1_000;
  const cpuSeconds = process.cpuUsage().user / 1e6;
  const { stories, failed, words, lost, doubled, tasks } = sum;
  console.log(
    `${stories} stories from seed ${first}, ${words} words, ${tasks} tasks, ${seconds.toFixed(1)} s (${cpuSeconds.toFixed(1)} s of processor)`,
  );
  console.log(`failed ${failed}, words lost ${lost}, doubled ${doubled}; faults injected:`);
  console.table(Object.fromEntries(Object.entries(sum.faults).sort()));
  return failed === 0;
}

const isGood = values.one === undefined ? await runMany() : await tellOne(Number(values.one));
process.exitCode = isGood ? 0 : 1;
