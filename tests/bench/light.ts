import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright';
import { median } from '../../src/benchmark/percentile.ts';
import { dictationPage } from '../e2e/helpers/dictation-page.ts';
import { startServer } from '../e2e/helpers/server.ts';
import { buildHarness } from './build-harness.ts';
import { launch } from './live-cost.ts';
import { readProcessTimes, timesBetween } from './process-times.ts';

const USAGE = `Usage: npm run bench:light -- [--seconds N] [--rounds N] [--threads] [--web FOLDER]

What recording costs, all of the browser's processes together, in percent of one core, beside a bare page that opens the
microphone and posts the same blocks from a worklet to nowhere. In turn, each time in a new browser; medians of the rounds.
Figures, never a pass or a failure.

  --seconds N   how long each is measured (25)
  --rounds N    how often (5)
  --threads     tells each thread
  --web FOLDER  a build of the pages (dist/web)
  -h, --help    this text`;

/** What starting takes is over by then. */
const SETTLE_MS = 3_000;

type State = {
  readonly name: string;
  readonly isBare?: boolean;
  /** Brings the page into the state; resolves when it is. */
  readonly prepare: (page: Page) => Promise<void>;
};

async function record(page: Page): Promise<void> {
  const dictation = dictationPage(page);
  await dictation.field.click();
  await dictation.startDictating();
}

const STATES: readonly State[] = [
  {
    name: 'a bare page, at rest',
    isBare: true,
    prepare: async (page) => page.goto('about:blank').then(() => undefined),
  },
  {
    name: 'capture only',
    isBare: true,
    prepare: async (page) => page.getByText('recording').waitFor(),
  },
  { name: 'recording', prepare: record },
  {
    name: 'recording, hidden',
    async prepare(page) {
      await record(page);
      const session = await page.context().newCDPSession(page);
      // Else the driver has every page believe that it is looked at.
      await session.send('Emulation.setFocusEmulationEnabled', { enabled: false });
      const front = await page.context().newPage();
      await front.bringToFront();
      await page.waitForFunction(() => document.visibilityState === 'hidden');
    },
  },
  {
    name: 'paused',
    async prepare(page) {
      await record(page);
      await page.getByRole('button', { name: 'Pausa' }).click();
    },
  },
  {
    name: 'the caret in the field',
    prepare: async (page) => dictationPage(page).field.click(),
  },
];

async function measure(url: string, state: State, seconds: number): Promise<Map<string, number>> {
  const browser = await launch();
  try {
    const context = await browser.newContext({ locale: 'sv-SE', permissions: ['microphone'] });
    const page = await context.newPage();
    await page.goto(url);
    await state.prepare(page);
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
    return new Map(shares);
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
    only: { type: 'string', default: '' },
    threads: { type: 'boolean', default: false },
    web: { type: 'string', default: 'dist/web' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (values.help) {
  console.log(USAGE);
} else {
  const harness = await buildHarness();
  const product = await startServer(undefined, { WEB_ROOT: values.web });
  const pages = await startServer(undefined, { WEB_ROOT: harness });
  const states = STATES.filter(({ name }) => values.only === '' || values.only === name);
  const found = new Map<State, ReadonlyMap<string, number>[]>(states.map((each) => [each, []]));
  try {
    for (let round = 0; round < Number(values.rounds); round += 1) {
      for (const state of states) {
        const url = state.isBare ? `${pages.url}/bare.html` : product.url;
        found.get(state)?.push(await measure(url, state, Number(values.seconds)));
      }
    }
  } finally {
    await Promise.all([product.stop(), pages.stop()]);
  }
  const table: Record<string, Record<string, number>> = {};
  for (const [{ name }, rounds] of found) {
    const processes = rounds.map((each) => sumBy(each, (key) => key.replace(/\/.*/s, '')));
    const all = rounds.map((each) => sumBy(each, () => 'all'));
    table[name] = { ...medians(all), ...medians(processes) };
    if (!values.threads) continue;
    console.log(`\n${name}`);
    console.table(
      medians(rounds.map((each) => sumBy(each, (key) => key.replace(/[/#]?\d+$/, '')))),
    );
  }
  console.table(table);
}
