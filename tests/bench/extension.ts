import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { median } from '../../src/benchmark/run-benchmark.ts';
import { buildExtension, EXTENSION_ID } from '../../tools/build-extension.ts';
import { startServer } from '../e2e/helpers/server.ts';
import {
  allowAllSites,
  type ExtensionBrowser,
  openExtensionBrowser,
  toolsIn,
} from '../extension/helpers/extension-browser.ts';
import { serveHostSite } from '../extension/helpers/host-site.ts';
import { readProcessTimes, timesBetween } from './process-figures.ts';

const USAGE = `Usage: npm run bench -- extension [--seconds N] [--rounds N]

What the browser extension costs, all of the browser's processes together, in percent of one core: a page of somebody
else's at rest and with the caret in a field, in reach of the extension and out of it, and recording, beside our own page.
In turn, each time in a new browser; medians of the rounds. Figures, never a pass or a failure.

  --seconds N   how long each is measured (25)
  --rounds N    how often (3)
  -h, --help    this text`;

/** By then the browser has looked after its own databases, and the service worker has ended. */
const BROWSER_SETTLE_MS = 35_000;

/** By then the start is over. */
const SETTLE_MS = 3_000;

type Place = { readonly hostUrl: string; readonly ownUrl: string };

type State = {
  readonly name: string;
  readonly access: 'all' | 'click';
  readonly prepare: (browser: ExtensionBrowser, place: Place) => Promise<void>;
};

const open = ({ page }: ExtensionBrowser, { hostUrl }: Place) => page.goto(hostUrl);

async function openWithCaret(browser: ExtensionBrowser, place: Place): Promise<void> {
  await open(browser, place);
  await browser.page.getByRole('textbox').click();
}

const STATES: readonly State[] = [
  {
    name: 'at rest, out of reach',
    access: 'click',
    prepare: async (browser, place) => void (await open(browser, place)),
  },
  {
    name: 'at rest, in reach',
    access: 'all',
    prepare: async (browser, place) => void (await open(browser, place)),
  },
  { name: 'the caret in a field, out of reach', access: 'click', prepare: openWithCaret },
  { name: 'the caret in a field, in reach', access: 'all', prepare: openWithCaret },
  {
    name: 'recording into the field',
    access: 'all',
    async prepare(browser, place) {
      await openWithCaret(browser, place);
      const tools = await toolsIn(browser.context, browser.page);
      await tools.press('.tool-dictate');
      await tools.untilRecorded(1);
    },
  },
  {
    name: 'recording on our own page',
    access: 'click',
    async prepare({ page }, { ownUrl }) {
      await page.goto(ownUrl);
      await page.getByRole('textbox').first().click();
      await page.keyboard.press('F9');
      await page.locator('[data-phase=recording]').waitFor();
    },
  },
];

async function measure(state: State, place: Place, seconds: number): Promise<number> {
  const browser = await openExtensionBrowser({ serverUrl: place.ownUrl, access: state.access });
  try {
    await browser.context.grantPermissions(['microphone']);
    await sleep(BROWSER_SETTLE_MS);
    await state.prepare(browser, place);
    await sleep(SETTLE_MS);
    const whole = browser.context.browser();
    const before = whole && (await readProcessTimes(whole));
    const startedMs = performance.now();
    await sleep(seconds * 1_000);
    const after = whole && (await readProcessTimes(whole));
    const elapsedMs = performance.now() - startedMs;
    if (!before || !after) throw new Error('This system does not tell what threads use');
    const ms = [...timesBetween(before, after).values()].reduce((sum, each) => sum + each, 0);
    return (100 * ms) / elapsedMs;
  } finally {
    await browser.close();
  }
}

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '25' },
    rounds: { type: 'string', default: '3' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

async function run(): Promise<void> {
  await buildExtension();
  allowAllSites();
  const server = await startServer(undefined, { EXTENSION_IDS: EXTENSION_ID });
  const site = await serveHostSite({ '/note': { body: '<textarea></textarea>' } });
  const place = { hostUrl: `${site.url}/note`, ownUrl: server.url };
  const found = new Map<string, number[]>(STATES.map(({ name }) => [name, []]));
  try {
    for (let round = 0; round < Number(values.rounds); round += 1)
      for (const state of STATES)
        found.get(state.name)?.push(await measure(state, place, Number(values.seconds)));
  } finally {
    await Promise.all([server.stop(), site.close()]);
  }
  const rows = [...found].map(([name, shares]) => [name, Number(median(shares).toFixed(2))]);
  console.table(
    Object.fromEntries(rows.map(([name, share]) => [name, { 'percent of a core': share }])),
  );
}

if (values.help) console.log(USAGE);
else await run();
