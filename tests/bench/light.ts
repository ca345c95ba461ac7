import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { median } from '../../src/benchmark/run-benchmark.ts';
import { startServer } from '../e2e/helpers/server.ts';
import { buildHarness } from './build-harness.ts';
import { launch } from './live-cost.ts';
import {
  filesAreKept,
  hasFocus,
  openPlainTab,
  type PlainTab,
  press,
  putCaret,
  recordAtRest,
  saysRecording,
} from './plain-tab.ts';
import { privateMegabytes, readProcessTimes, timesBetween } from './process-figures.ts';

const USAGE = `Usage: npm run bench -- light [--seconds N] [--rounds N] [--only STATE] [--web FOLDER]...

What recording costs, all of the browser's processes together, in percent of one core, beside a bare page that opens the
microphone and posts the same blocks from a worklet to nowhere; the private memory of all processes at the end; and from the
press to a page that says it records. In turn, each time in a new browser; medians of the rounds. Figures, never a pass or a
failure.

  --seconds N   how long each is measured (25)
  --rounds N    how often (5)
  --only STATE  these states alone, by their names in the table; may be given more than once
  --web FOLDER  a build of the pages (dist/web); given more than once, they are compared in one run
  -h, --help    this text`;

/**
 * Half a minute after its start Chromium looks after its own databases, which takes 0.3 % of a core
 * over 25 s: whichever state is slower to come about would have it counted.
 */
const BROWSER_SETTLE_MS = 35_000;

/** By then the start is over. */
const SETTLE_MS = 3_000;

/** The cost of any page with a focused field: the browser's own caret blinks. */
const BARE_FIELD = 'data:text/html,<textarea autofocus></textarea>';

type State = {
  readonly name: string;
  /** A page of the harness. */
  readonly bare?: (harnessUrl: string) => string;
  /** Brings the page into the state; tells how many ms it took from a press until it recorded. */
  readonly prepare: (tab: PlainTab) => Promise<unknown>;
};

/** A round of a state: percent of a core by process and thread, MB, and ms from the press. */
type Round = {
  readonly shares: ReadonlyMap<string, number>;
  readonly memoryMb: number;
  readonly pressMs: number;
};

const STATES: readonly State[] = [
  { name: 'a bare page, at rest', bare: () => 'about:blank', prepare: hasFocus },
  { name: 'a bare field with the caret', bare: () => BARE_FIELD, prepare: hasFocus },
  {
    name: 'capture only',
    bare: (harnessUrl) => `${harnessUrl}/bare.html`,
    prepare: saysRecording,
  },
  { name: 'recording', prepare: recordAtRest },
  {
    name: 'recording, hidden',
    async prepare(tab) {
      const pressMs = await recordAtRest(tab);
      await tab.cover();
      await tab.until(`document.visibilityState === 'hidden'`);
      return pressMs;
    },
  },
  {
    name: 'paused',
    async prepare(tab) {
      await recordAtRest(tab);
      await press(
        tab,
        ['Pausa', 'Pause'],
        `document.querySelector('[data-phase=paused]') !== null`,
      );
    },
  },
  {
    name: 'the caret in the field',
    async prepare(tab) {
      await putCaret(tab);
      await filesAreKept(tab);
    },
  },
];

async function measure(url: string, state: State, seconds: number): Promise<Round> {
  const browser = await launch();
  try {
    await sleep(BROWSER_SETTLE_MS);
    const told = await state.prepare(await openPlainTab(browser, url));
    const pressMs = typeof told === 'number' ? told : 0;
    await sleep(SETTLE_MS);
    const before = await readProcessTimes(browser);
    const startedMs = performance.now();
    await sleep(seconds * 1_000);
    const after = await readProcessTimes(browser);
    const elapsedMs = performance.now() - startedMs;
    if (!before || !after) throw new Error('This system does not tell what threads use');
    const shares = [...timesBetween(before, after)].map(
      ([key, ms]) => [key, (100 * ms) / elapsedMs] as const,
    );
    return { shares: new Map(shares), memoryMb: await privateMegabytes(browser), pressMs };
  } finally {
    await browser.close();
  }
}

function sumBy(shares: ReadonlyMap<string, number>, keyOf: (key: string) => string) {
  const sums = new Map<string, number>();
  for (const [key, share] of shares) sums.set(keyOf(key), (sums.get(keyOf(key)) ?? 0) + share);
  return sums;
}

/** The median of each, over the rounds; one that a round has not is 0 there. */
function medians(rounds: readonly ReadonlyMap<string, number>[]): Record<string, number> {
  const keys = new Set(rounds.flatMap((each) => [...each.keys()]));
  const rows = [...keys].map(
    (key) => [key, Number(median(rounds.map((each) => each.get(key) ?? 0)).toFixed(2))] as const,
  );
  return Object.fromEntries(
    rows.filter(([, share]) => share >= 0.01).sort(([, a], [, b]) => b - a),
  );
}

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '25' },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string', multiple: true, default: [] },
    web: { type: 'string', multiple: true, default: ['dist/web'] },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

/** One measurement of each round: a state of one build. */
type Cell = { readonly name: string; readonly state: State; readonly url: string };

function cellsOf(state: State, harnessUrl: string, builds: ReadonlyMap<string, string>): Cell[] {
  const { name, bare } = state;
  if (bare) return [{ name, state, url: bare(harnessUrl) }];
  const isOne = builds.size === 1;
  return [...builds].map(([web, url]) => ({ name: isOne ? name : `${name}: ${web}`, state, url }));
}

async function run(): Promise<void> {
  const pages = await startServer(undefined, { WEB_ROOT: await buildHarness() });
  const servers = [pages];
  const builds = new Map<string, string>();
  for (const web of values.web) {
    const server = await startServer(undefined, { WEB_ROOT: web });
    servers.push(server);
    builds.set(web, server.url);
  }
  const states = STATES.filter(
    ({ name }) => values.only.length === 0 || values.only.includes(name),
  );
  const cells = states.flatMap((state) => cellsOf(state, pages.url, builds));
  const found = new Map<Cell, Round[]>(cells.map((each) => [each, []]));
  try {
    for (let round = 0; round < Number(values.rounds); round += 1) {
      for (const cell of cells) {
        found.get(cell)?.push(await measure(cell.url, cell.state, Number(values.seconds)));
      }
    }
  } finally {
    await Promise.all(servers.map((each) => each.stop()));
  }
  const table: Record<string, Record<string, number>> = {};
  for (const [{ name }, rounds] of found) {
    const figures = rounds.map(({ shares, memoryMb, pressMs }) => {
      const processes = sumBy(shares, (key) => key.replace(/\/.*/s, ''));
      const all = sumBy(shares, () => 'all');
      return new Map([...all, ['memory MB', memoryMb], ['press ms', pressMs], ...processes]);
    });
    table[name] = medians(figures);
  }
  console.table(table);
}

if (values.help) console.log(USAGE);
else await run();
