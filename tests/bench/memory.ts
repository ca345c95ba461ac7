import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright';
import { startServer } from '../e2e/helpers/server.ts';
import { setup as buildFaultPage } from '../faults/helpers/build-page.ts';
import { startRecordingServer } from '../faults/helpers/recording-server.ts';
import type { Bench } from '../faults/page/bench.ts';
import { buildHarness } from './build-harness.ts';
import { launch } from './live-cost.ts';
import {
  openDiskProfile,
  openPlainTab,
  type PlainTab,
  putCaret,
  record,
  recordAtRest,
  saysRecording,
} from './plain-tab.ts';
import { memoryByProcess } from './process-figures.ts';

const MB = 1_000_000;

/** What a page's heap and its documents are left with when nothing can be thrown away any more. */
export async function heapOf(session: CDPSession) {
  await collectGarbage(session);
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  const { nodes, documents, jsEventListeners } = await session.send('Memory.getDOMCounters');
  return { heapMb: Number((usedSize / MB).toFixed(2)), nodes, documents, jsEventListeners };
}

/** How many there are of each kind of object, by V8's name for it. */
export type HeapCounts = {
  readonly all: ReadonlyMap<string, number>;
  /** Those of them that are elements in no document any more. */
  readonly detached: ReadonlyMap<string, number>;
};

/** As much of a heap snapshot as is read here. */
type Snapshot = {
  readonly snapshot: { readonly meta: { readonly node_fields: readonly string[] } };
  readonly nodes: readonly number[];
  readonly strings: readonly string[];
};

/** V8's mark of an element that its document has no more. */
const DETACHED = 2;

/** Counts what is alive after the garbage has been collected. */
export async function countHeap(session: CDPSession): Promise<HeapCounts> {
  const parts: string[] = [];
  const listen = ({ chunk }: { chunk: string }): void => void parts.push(chunk);
  session.on('HeapProfiler.addHeapSnapshotChunk', listen);
  await collectGarbage(session);
  await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  session.off('HeapProfiler.addHeapSnapshotChunk', listen);
  const { snapshot, nodes, strings } = JSON.parse(parts.join('')) as Snapshot;
  const fields = snapshot.meta.node_fields;
  const nameAt = fields.indexOf('name');
  const detachedAt = fields.indexOf('detachedness');
  const all = new Map<string, number>();
  const detached = new Map<string, number>();
  for (let at = 0; at < nodes.length; at += fields.length) {
    const name = strings[nodes[at + nameAt] ?? 0] ?? '';
    all.set(name, (all.get(name) ?? 0) + 1);
    if (nodes[at + detachedAt] !== DETACHED) continue;
    detached.set(name, (detached.get(name) ?? 0) + 1);
  }
  return { all, detached };
}

/** The kinds of which there are at least `atLeast` more than before. */
export function grownBy(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
  atLeast: number,
): readonly (readonly [name: string, more: number])[] {
  return [...after]
    .map(([name, count]) => [name, count - (before.get(name) ?? 0)] as const)
    .filter(([, more]) => more >= atLeast)
    .sort(([, one], [, other]) => other - one);
}

/** The page's, and then its workers': each has a heap of its own, which nobody else cleans. */
async function collectGarbage(session: CDPSession): Promise<void> {
  // What the first one lets go may hold others.
  for (let turn = 0; turn < 2; turn += 1) {
    await session.send('HeapProfiler.collectGarbage');
    await collectWorkers(session);
  }
}

async function collectWorkers(session: CDPSession): Promise<void> {
  const collected = new Map<string, () => void>();
  const settle = ({ sessionId }: { sessionId: string }): void => collected.get(sessionId)?.();
  const collecting: Promise<unknown>[] = [];
  const collect = ({ sessionId }: { sessionId: string }): void => {
    const message = JSON.stringify({ id: 1, method: 'HeapProfiler.collectGarbage' });
    collecting.push(
      new Promise<void>((resolve) => collected.set(sessionId, resolve)),
      // One that is gone by then has no garbage.
      session
        .send('Target.sendMessageToTarget', { sessionId, message })
        .catch(() => settle({ sessionId })),
    );
  };
  const attach = (autoAttach: boolean) =>
    session.send('Target.setAutoAttach', {
      autoAttach,
      waitForDebuggerOnStart: false,
      flatten: false,
    });
  session.on('Target.attachedToTarget', collect);
  session.on('Target.receivedMessageFromTarget', settle);
  session.on('Target.detachedFromTarget', settle);
  await attach(true);
  await Promise.all(collecting);
  await attach(false);
  session.off('Target.attachedToTarget', collect);
  session.off('Target.receivedMessageFromTarget', settle);
  session.off('Target.detachedFromTarget', settle);
}

type BenchWindow = { readonly bench: Bench };

/** Minutes between two looks. */
const LOOK_EVERY_MINUTES = 5;
/** Of words of 1.1 s. */
const WORDS_A_MINUTE = 54;
const WORD_SAMPLES = 17_600;
/** Times as fast as one speaks. */
const SPEED = 40;

/**
 * Speaks without a pause into one recording of the real bridge and worker, faster than anybody can,
 * while a server answers. Gives what is left of memory when garbage is collected, every five
 * minutes.
 */
export async function speakFor(minutes: number): Promise<Record<string, object>> {
  await buildFaultPage();
  const server = await startRecordingServer();
  const { context, browser, close } = await openDiskProfile(['--js-flags=--expose-gc']);
  const rows: Record<string, object> = {};
  try {
    const page = context.pages()[0] ?? (await context.newPage());
    await page.goto(server.url);
    await page.evaluate(() => (globalThis as unknown as BenchWindow).bench.prepare());
    await page.evaluate(() => (globalThis as unknown as BenchWindow).bench.start(90_000));
    for (let minute = 1; minute <= minutes; minute += 1) {
      await page.evaluate(
        ([first, count, speed, wordSamples]) =>
          (globalThis as unknown as BenchWindow).bench.speak(first, count, { speed, wordSamples }),
        [(minute - 1) * WORDS_A_MINUTE, WORDS_A_MINUTE, SPEED, WORD_SAMPLES] as const,
      );
      if (minute % LOOK_EVERY_MINUTES === 0 || minute === minutes) {
        rows[`${minute} min`] = await look(browser, page);
      }
    }
    await page.evaluate(() => (globalThis as unknown as BenchWindow).bench.stop());
    rows['after the stop'] = await look(browser, page);
    return rows;
  } finally {
    await close();
    await server.close();
  }
}

async function look(browser: Browser, page: Page): Promise<object> {
  const session = await page.context().newCDPSession(page);
  for (const worker of page.workers()) {
    await worker.evaluate(() => (globalThis as unknown as { gc(): void }).gc());
  }
  const heap = await heapOf(session);
  await session.detach();
  return { ...heap, ...(await memoryByProcess(browser)) };
}

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
