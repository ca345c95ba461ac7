import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright';
import { startServer } from '../e2e/helpers/server.ts';
import { buildHarness } from './build-harness.ts';
import { openDiskProfile } from './disk-profile.ts';
import { countHeap, grownBy, type HeapCounts, heapOf } from './heap.ts';
import { launch } from './live-cost.ts';
import { speakFor } from './long-speech.ts';
import { openPlainTab, type PlainTab } from './plain-tab.ts';
import { memoryByProcess } from './process-memory.ts';
import { putCaret, record, recordAtRest, saysRecording } from './recording-tab.ts';

const USAGE = `Usage: npm run bench -- memory [--seconds N] [--rounds N] [--minutes N]

What a recording keeps of memory. First what all of the browser's processes have for themselves while they record, beside a
bare page that opens the microphone; then both over many recordings, each begun and ended, after the garbage is collected, and
in another browser of what kinds of objects there are more at the end; then both while one speaks for an hour, forty times as
fast as anybody can. Figures, never a pass or a failure.

  --seconds N   how long each is recorded (60)
  --rounds N    how many recordings are begun and ended (200)
  --minutes N   how long one speaks (60)
  -h, --help    this text`;

/** Rounds between two looks at the heap. */
const LOOK_EVERY_ROUNDS = 20;

/** In a tab that the driver does not hold: a service worker that it holds never comes to rest. */
async function measureMinute(
  url: string,
  seconds: number,
  start: (tab: PlainTab) => Promise<void>,
): Promise<Record<string, number>> {
  const browser = await launch();
  try {
    await start(await openPlainTab(browser, url));
    await sleep(seconds * 1_000);
    return await memoryByProcess(browser);
  } catch (cause) {
    throw new Error(`No figures of ${url}`, { cause });
  } finally {
    await browser.close();
  }
}

async function openAtRest(context: BrowserContext, url: string): Promise<Page> {
  const page = context.pages()[0] ?? (await context.newPage());
  await page.goto(url);
  await page.locator('[role=textbox]').first().click();
  // What makes the page an app comes when it is at rest: no recording has brought it.
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  return page;
}

async function recordOnce(page: Page): Promise<void> {
  const button = page.locator('.toolbar').getByRole('button', { name: 'Diktera' });
  await button.click();
  await page.locator('[data-phase=recording]').waitFor();
  await page.getByRole('button', { name: 'Klar' }).click();
  await page.locator('[data-phase=recording]').waitFor({ state: 'detached' });
  await button.waitFor();
}

/** Records so often, and looks in before the first, now and then, and after the last. */
async function recordRounds(
  url: string,
  rounds: number,
  look: (seen: {
    readonly browser: Browser;
    readonly session: CDPSession;
    readonly round: number;
  }) => Promise<void>,
): Promise<void> {
  const { context, browser, close } = await openDiskProfile();
  try {
    const page = await openAtRest(context, url);
    const session = await context.newCDPSession(page);
    for (let round = 0; round <= rounds; round += 1) {
      if (round > 0) await recordOnce(page);
      if (round % LOOK_EVERY_ROUNDS === 0 || round === rounds) {
        await look({ browser, session, round });
      }
    }
  } finally {
    await close();
  }
}

async function measureRounds(url: string, rounds: number): Promise<void> {
  const rows: Record<string, object> = {};
  await recordRounds(url, rounds, async ({ browser, session, round }) => {
    const heap = await heapOf(session);
    rows[`after ${round}`] = { ...heap, ...(await memoryByProcess(browser)) };
  });
  console.table(rows);
}

/** In a browser of its own: a snapshot of the heap left its process with 13 MB more. */
async function compareHeaps(url: string, rounds: number): Promise<void> {
  // What the first ones make once is kept.
  const counts = new Map<number, HeapCounts>();
  await recordRounds(url, rounds, async ({ session, round }) => {
    if (round !== LOOK_EVERY_ROUNDS && round !== rounds) return;
    counts.set(round, await countHeap(session));
  });
  const first = counts.get(LOOK_EVERY_ROUNDS);
  const last = counts.get(rounds);
  if (first === undefined || last === undefined) return;
  const more = Math.ceil((rounds - LOOK_EVERY_ROUNDS) / 2);
  console.log(
    'More of them at the end than after the first twenty, by one for every second recording at least:',
  );
  console.table(grownBy(first.all, last.all, more));
  console.log('Elements in no document, at the end:');
  console.table([...last.detached]);
}

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    rounds: { type: 'string', default: '200' },
    minutes: { type: 'string', default: '60' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

async function run(): Promise<void> {
  const bare = await startServer(undefined, { WEB_ROOT: await buildHarness() });
  const ours = await startServer(undefined, { WEB_ROOT: 'dist/web' });
  const seconds = Number(values.seconds);
  try {
    console.table({
      'a bare page with a microphone': await measureMinute(
        `${bare.url}/bare.html`,
        seconds,
        saysRecording,
      ),
      'recording, pressed at once': await measureMinute(ours.url, seconds, async (tab) => {
        await putCaret(tab);
        await record(tab);
      }),
      'recording, of a page at rest': await measureMinute(ours.url, seconds, recordAtRest),
    });
    const rounds = Number(values.rounds);
    await measureRounds(ours.url, rounds);
    await compareHeaps(ours.url, rounds);
  } finally {
    await Promise.all([bare.stop(), ours.stop()]);
  }
  console.table(await speakFor(Number(values.minutes)));
}

if (values.help) console.log(USAGE);
else await run();
