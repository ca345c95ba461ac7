import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Browser, CDPSession, Page } from 'playwright';
import { startServer } from '../e2e/helpers/server.ts';
import { buildHarness } from './build-harness.ts';
import { launch } from './live-cost.ts';

const USAGE = `Usage: npm run bench:memory -- [--seconds N] [--rounds N]

What a recording keeps of memory. First what all of the browser's processes have for themselves while they record, beside a
bare page that opens the microphone; then the page's heap over many recordings, each begun and ended, after the garbage is
collected. Figures, never a pass or a failure.

  --seconds N   how long each is recorded (60)
  --rounds N    how many recordings are begun and ended (200)
  -h, --help    this text`;

const MB = 1_000_000;
/** Rounds between two looks at the heap. */
const LOOK_EVERY_ROUNDS = 20;

/** Memory that no other process shares, in bytes; 0 of a process that is gone. */
function privateBytes(pid: number): number {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    const lines = rollup.matchAll(/^Private_(?:Clean|Dirty):\s+(\d+) kB$/gm);
    return [...lines].reduce((sum, [, kilobytes]) => sum + 1_024 * Number(kilobytes), 0);
  } catch {
    return 0;
  }
}

async function memoryByProcess(browser: Browser): Promise<Record<string, number>> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const sizes: Record<string, number> = { all: 0 };
  for (const { type, id } of processInfo) {
    const megabytes = privateBytes(id) / MB;
    sizes[type] = Number(((sizes[type] ?? 0) + megabytes).toFixed(1));
    sizes.all = Number(((sizes.all ?? 0) + megabytes).toFixed(1));
  }
  return sizes;
}

async function openPage(browser: Browser, url: string): Promise<Page> {
  const context = await browser.newContext({ locale: 'sv-SE', permissions: ['microphone'] });
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

async function begin(page: Page): Promise<void> {
  await page.locator('.toolbar').getByRole('button', { name: 'Diktera' }).click();
  await page.locator('[data-phase=recording]').waitFor();
}

async function openOurs(browser: Browser, url: string): Promise<Page> {
  const page = await openPage(browser, url);
  await page.locator('[role=textbox]').first().click();
  return page;
}

/** What is left when nothing can be thrown away any more. */
async function heapOf(session: CDPSession) {
  await session.send('HeapProfiler.collectGarbage');
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  const { nodes, documents, jsEventListeners } = await session.send('Memory.getDOMCounters');
  return { heapMb: Number((usedSize / MB).toFixed(2)), nodes, documents, jsEventListeners };
}

async function measureMinute(
  url: string,
  seconds: number,
  start: (browser: Browser) => Promise<void>,
): Promise<Record<string, number>> {
  const browser = await launch();
  try {
    await start(browser);
    await sleep(seconds * 1_000);
    return await memoryByProcess(browser);
  } catch (cause) {
    throw new Error(`No figures of ${url}`, { cause });
  } finally {
    await browser.close();
  }
}

async function measureRounds(url: string, rounds: number): Promise<void> {
  const browser = await launch();
  try {
    const page = await openOurs(browser, url);
    const session = await page.context().newCDPSession(page);
    const rows: Record<string, object> = {};
    for (let round = 0; round <= rounds; round += 1) {
      if (round % LOOK_EVERY_ROUNDS === 0 || round === rounds) {
        const processes = await memoryByProcess(browser);
        rows[`after ${round}`] = { ...(await heapOf(session)), allMb: processes.all };
      }
      if (round === rounds) break;
      await begin(page);
      await page.getByRole('button', { name: 'Klar' }).click();
      await page.locator('[data-phase=recording]').waitFor({ state: 'detached' });
      await page.locator('.toolbar').getByRole('button', { name: 'Diktera' }).waitFor();
    }
    console.table(rows);
  } finally {
    await browser.close();
  }
}

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    rounds: { type: 'string', default: '200' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

async function run(): Promise<void> {
  const bare = await startServer(undefined, { WEB_ROOT: await buildHarness() });
  const ours = await startServer(undefined, { WEB_ROOT: 'dist/web' });
  const seconds = Number(values.seconds);
  try {
    console.table({
      'a bare page with a microphone': await measureMinute(bare.url, seconds, async (browser) => {
        const page = await openPage(browser, `${bare.url}/bare.html`);
        await page.getByText('recording').waitFor();
      }),
      recording: await measureMinute(ours.url, seconds, async (browser) => {
        await begin(await openOurs(browser, ours.url));
      }),
    });
    await measureRounds(ours.url, Number(values.rounds));
  } finally {
    await Promise.all([bare.stop(), ours.stop()]);
  }
}

if (values.help) console.log(USAGE);
else await run();
