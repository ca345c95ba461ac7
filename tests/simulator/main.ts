import { parseArgs } from 'node:util';
import { playStories, tellStory } from './threads.ts';

// npm run simulate [-- --stories 2000 --seed 1 --threads 1], or one story, told: -- --one SEED. Ends
// with exit code 1 when a word was lost or came twice, or something else that must not be.
const { values } = parseArgs({
  options: {
    stories: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    threads: { type: 'string', default: '1' },
    one: { type: 'string' },
  },
});

async function runMany(): Promise<boolean> {
  const startedMs = performance.now();
  const [first, stories, threads] = [values.seed, values.stories, values.threads].map(Number) as [
    number,
    number,
    number,
  ];
  const sum = await playStories(first, stories, threads, ({ seed, wrongs }) => {
    console.log(`FAILED: --one ${seed}: ${wrongs.join('; ').slice(0, 300)}`);
  });
  const seconds = (performance.now() - startedMs) / 1_000;
  const { user, system } = process.cpuUsage();
  const processor = ((user + system) / 1e6).toFixed(1);
  const { failed, words, lost, doubled, tasks } = sum;
  console.log(
    `${sum.stories} stories from seed ${first}, ${words} words, ${tasks} tasks, ${seconds.toFixed(1)} s (${processor} s of processor)`,
  );
  console.log(`failed ${failed}, words lost ${lost}, doubled ${doubled}; faults injected:`);
  console.table(Object.fromEntries(Object.entries(sum.faults).sort()));
  return failed === 0 && sum.stories === stories;
}

const isGood = values.one === undefined ? await runMany() : await tellStory(Number(values.one));
process.exitCode = isGood ? 0 : 1;
