import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { buildIfNeeded } from '../../tools/build-all.ts';
import { ENGINE_PLACES, ENGINES, startCluster } from './cluster.ts';
import { findOrInstallPrograms, type Programs } from './parts.ts';
import { watchProcessors } from './processor-time.ts';
import type { RecordingMould } from './recordings.ts';
import { describe, faultsOf, type StoryResult, table } from './report.ts';
import { DOUBLE, STORIES, type Story, USUAL } from './stories.ts';
import { makeMoulds, runTraffic } from './traffic.ts';

// npm run test:cluster [-- --story NAME --speakers N --seconds N --seed N]: HAProxy, three servers,
// Valkey or Redis, four stand-in engines and speakers, all on this machine, through one story after
// the other. Exit code 1 when a chunk is lost, or a refusal does not say when to come again.
const { values } = parseArgs({
  options: {
    story: { type: 'string', multiple: true },
    speakers: { type: 'string', default: '400' },
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(randomInt(1, 20_000)) },
  },
});
const speakers = wholeNumber('speakers', values.speakers, 1, 10_000);
const seconds = wholeNumber('seconds', values.seconds, 10, 3_600);
const seed = wholeNumber('seed', values.seed, 1, 20_000);
const stories = (values.story ?? STORIES.map(({ name }) => name)).map(findStory);

/** Of the time; six minutes of speech an hour. */
const USUAL_DUTY = 0.1;

/** Longer than two rounds of a client's that wait for each other. */
const DRAIN_MS = 240_000;

async function play(
  story: Story,
  programs: Programs,
  moulds: readonly RecordingMould[],
): Promise<StoryResult> {
  const capacity = (speakers * USUAL_DUTY) / USUAL;
  const forMs = seconds * 1_000;
  const faultAtMs = story.faultAt === null ? null : story.faultAt * forMs;
  const cluster = await startCluster(programs, capacity, story.name);
  try {
    const used = watchProcessors(cluster.processIds);
    let seen: Promise<string> = Promise.resolve('');
    const options = {
      url: cluster.url,
      speakers,
      forMs,
      demandAt: (atMs: number) => capacity * story.demand(atMs / forMs),
      maxDemand: capacity * DOUBLE,
      drainMs: DRAIN_MS,
      seed,
    };
    const traffic = await runTraffic(options, moulds, () => {
      seen = new Promise<void>((begin) => setTimeout(begin, faultAtMs ?? 0)).then(() =>
        story.play(cluster),
      );
      seen.catch(() => undefined);
    });
    const use = used();
    const heard = await cluster.engines.heard();
    const audioSecondsPerSecond = capacity / (ENGINES * ENGINE_PLACES);
    const played = { name: story.name, forMs, faultAtMs, audioSecondsPerSecond };
    return { ...played, traffic, heard, use, seen: await seen };
  } finally {
    await cluster.stop();
  }
}

function findStory(name: string): Story {
  const story = STORIES.find((one) => one.name === name);
  const names = STORIES.map((one) => one.name).join(', ');
  if (story === undefined) throw new Error(`--story must be one of ${names}, not '${name}'`);
  return story;
}

function wholeNumber(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new Error(`--${name} must be a whole number from ${least} to ${most}, not '${text}'`);
}

const programs = await findOrInstallPrograms();
await buildIfNeeded();
console.log(
  `seed ${seed}; ${speakers} speakers, ${seconds} s a story, engines for ` +
    `${Math.round((speakers * USUAL_DUTY) / USUAL)} audio s/s; ${availableParallelism()} cores for everything; ` +
    `${programs.balancer}, ${programs.store}`,
);
const moulds = await makeMoulds();
const results: StoryResult[] = [];
for (const story of stories) {
  console.log(`\n${story.name}: ${story.says}`);
  const result = await play(story, programs, moulds);
  results.push(result);
  process.stdout.write(describe(result));
}
console.log(`\n${table(results)}`);
const faults = results.flatMap(faultsOf);
for (const fault of faults) console.error(fault);
process.exit(faults.length > 0 ? 1 : 0);
