import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Browser } from 'playwright';
import { median } from '../../src/benchmark/run-benchmark.ts';
import { dictationPage } from '../e2e/helpers/dictation-page.ts';
import { startServer } from '../e2e/helpers/server.ts';
import { buildHarness } from './build-harness.ts';
import { launch } from './live-cost.ts';
import { dictateCalmly, type FirstAnswer, openImpatiently, openSlowed } from './page-answer.ts';
import { readThreadTimes, threadTimesBetween } from './process-figures.ts';

/** As much of a trace's event as is read here. */
type TraceEvent = {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds. */
  readonly ts: number;
  /** Microseconds. */
  readonly dur?: number;
  readonly args: { readonly name?: string };
};

/** A task longer than this keeps a person waiting (the platform's definition of a long task). */
const LONG_TASK_MS = 50;

/** The trace events in which the browser runs a page's script. One inside another counts once. */
const SCRIPT = new Set([
  'EvaluateScript',
  'EventDispatch',
  'FireAnimationFrame',
  'FireIdleCallback',
  'FunctionCall',
  'RunMicrotasks',
  'TimerFire',
  'v8.callFunction',
  'v8.evaluateModule',
]);

/** The work of the main thread of the busiest page, in ms. */
export type MainThread = {
  /** The duration of each task. */
  readonly tasks: readonly number[];
  /** The script's share of them; 0 where it was not measured. */
  readonly scriptMs: number;
};

const TASKS = ['toplevel'];
/** Much is written of what happens then: tasks while a page loads take half as long again. */
const TASKS_AND_SCRIPT = [...TASKS, 'devtools.timeline', 'v8'];

/** Looks at the busiest page while `run` runs. */
export async function traceTasks(
  browser: Browser,
  run: () => Promise<unknown>,
  { asksForScript = false } = {},
): Promise<MainThread> {
  const session = await browser.newBrowserCDPSession();
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => {
    events.push(...(value as unknown as TraceEvent[]));
  });
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: asksForScript ? TASKS_AND_SCRIPT : TASKS },
  });
  await run();
  const isComplete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.end');
  await isComplete;
  await session.detach();
  return busiest(mainThreads(events));
}

function mainThreads(events: readonly TraceEvent[]): readonly MainThread[] {
  const keyOf = ({ pid, tid }: TraceEvent) => `${pid}:${tid}`;
  const threads = new Map<string, TraceEvent[]>();
  for (const event of events) {
    if (event.name !== 'thread_name' || event.args.name !== 'CrRendererMain') continue;
    threads.set(keyOf(event), []);
  }
  for (const event of events) threads.get(keyOf(event))?.push(event);
  return [...threads.values()].map((own) => ({
    tasks: own.filter(({ name }) => name === 'ThreadControllerImpl::RunTask').map(msOf),
    scriptMs: outermostMs(own.filter(({ name }) => SCRIPT.has(name))),
  }));
}

const msOf = ({ dur = 0 }: TraceEvent): number => dur / 1_000;

function outermostMs(events: readonly TraceEvent[]): number {
  let endUs = 0;
  let ms = 0;
  for (const event of events.toSorted((one, other) => one.ts - other.ts)) {
    const eventEndUs = event.ts + (event.dur ?? 0);
    if (eventEndUs <= endUs) continue;
    ms += (eventEndUs - Math.max(event.ts, endUs)) / 1_000;
    endUs = eventEndUs;
  }
  return ms;
}

function busiest(threads: readonly MainThread[]): MainThread {
  return threads.reduce((one, other) => (sum(other.tasks) > sum(one.tasks) ? other : one), {
    tasks: [],
    scriptMs: 0,
  });
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

export function longestMs(tasks: readonly number[]): number {
  return Math.max(0, ...tasks);
}

/** Total blocking time: what long tasks took beyond the 50 ms that nobody feels. */
export function blockingMs(tasks: readonly number[]): number {
  return sum(tasks.map((ms) => Math.max(0, ms - LONG_TASK_MS)));
}

export function totalMs(tasks: readonly number[]): number {
  return sum(tasks);
}

const USAGE = `Usage: npm run bench -- page [--seconds N] [--rounds N] [--web FOLDER]...

What the page asks of its main thread, on this processor and on one slowed 6 times: from navigation to a
Diktera button that is seen to answer, the longest task until then and of a whole dictation, and what recording takes.
Figures, never a pass or a failure.

  --seconds N   how long it rests, and records (10)
  --rounds N    how often it is opened, and dictated on, in turn with a page that has nothing in it; the medians are
                told (5)
  --web FOLDER  a build of the pages; several are measured in turn (dist/web)
  -h, --help    this text`;

const RATES = [1, 6];
/** By then loading, starting and ending are over. */
const SETTLE_MS = 2_000;

const NO_ANSWER: FirstAnswer = { fieldMs: 0, buttonMs: 0, pressMs: 0, answerMs: 0, recordingMs: 0 };

type Figures = Readonly<Record<string, number | null>>;
type LoadFigures = Readonly<Record<string, number>>;

/** The browser's own work on the thread, measured with an empty page. */
async function measureEmpty(emptyUrl: string, rate: number): Promise<LoadFigures> {
  const browser = await launch();
  try {
    const page = await openSlowed(browser, rate);
    const { tasks } = await traceTasks(browser, async () => {
      await page.navigate(emptyUrl);
      await sleep(SETTLE_MS);
    });
    return { 'longest task of a page with nothing in it, ms': Math.round(longestMs(tasks)) };
  } finally {
    await browser.close();
  }
}

/**
 * A real microphone's browser has its audio service running by the time the page has looked for
 * microphones; a fake one is listed without, and the context of the first recording would wait 40
 * ms for it, on the page's thread.
 */
async function wakeAudioService(browser: Browser): Promise<void> {
  const page = await browser.newPage();
  await page.evaluate('new AudioContext().close()');
  await page.close();
}

async function measureLoad(url: string, rate: number): Promise<LoadFigures> {
  const browser = await launch();
  try {
    await wakeAudioService(browser);
    const page = await openSlowed(browser, rate);
    let answer: FirstAnswer | null = null;
    const { tasks } = await traceTasks(browser, async () => {
      answer = await openImpatiently(page, url);
    });
    const { fieldMs, buttonMs, pressMs, answerMs, recordingMs } = answer ?? NO_ANSWER;
    return {
      'text there, ms': Math.round(fieldMs),
      'Diktera there, ms': Math.round(buttonMs),
      'from the press to a frame that answers, ms': Math.round(answerMs - pressMs),
      'from the press to a frame that shows that it records, ms': Math.round(recordingMs - pressMs),
      'blocking until then, ms': Math.round(blockingMs(tasks)),
      'longest task until then, ms': Math.round(longestMs(tasks)),
    };
  } finally {
    await browser.close();
  }
}

/** The page is opened, clicked and dictated on, each time when it has come to rest. */
async function measureDictation(url: string, rate: number): Promise<LoadFigures> {
  const browser = await launch();
  try {
    await wakeAudioService(browser);
    const page = await openSlowed(browser, rate);
    let pressMs = 0;
    const { tasks } = await traceTasks(browser, async () => {
      pressMs = await dictateCalmly(page, url, SETTLE_MS);
    });
    return {
      'later, from a press to a frame that answers, ms': Math.round(pressMs),
      'longest task of a dictation without haste, from load to its end, ms': Math.round(
        longestMs(tasks),
      ),
    };
  } finally {
    await browser.close();
  }
}

/** Opens a page with nothing in it and ours, and dictates, in turn. */
async function measureLoads(
  emptyUrl: string,
  url: string,
  { rate, rounds }: { readonly rate: number; readonly rounds: number },
): Promise<LoadFigures> {
  const found: LoadFigures[] = [];
  for (let round = 0; round < rounds; round += 1) {
    found.push({
      ...(await measureEmpty(emptyUrl, rate)),
      ...(await measureLoad(url, rate)),
      ...(await measureDictation(url, rate)),
    });
  }
  const names = Object.keys(found[0] ?? {});
  return Object.fromEntries(
    names.map((name) => [name, median(found.map((figures) => figures[name] ?? 0))]),
  );
}

async function measureRecording(url: string, rate: number, seconds: number): Promise<Figures> {
  const browser = await launch();
  try {
    await wakeAudioService(browser);
    const context = await browser.newContext({ locale: 'en-US', permissions: ['microphone'] });
    const page = await context.newPage();
    const devTools = await context.newCDPSession(page);
    await devTools.send('Emulation.setCPUThrottlingRate', { rate });
    await page.goto(url);
    const dictation = dictationPage(page);
    await dictation.field.click();
    await dictation.dictate.waitFor();
    await sleep(SETTLE_MS);
    const restingShare = await mainShare(browser, seconds);
    await dictation.startDictating();
    await sleep(SETTLE_MS);
    const recordingShare = await mainShare(browser, seconds);
    const { tasks, scriptMs } = await traceTasks(browser, () => sleep(seconds * 1_000), {
      asksForScript: true,
    });
    // A slowed processor is one whose threads spin: there, only the tasks' own time says anything.
    const isReal = rate === 1;
    return {
      'longest task while it records, ms': Math.round(longestMs(tasks)),
      'in tasks, % of the time': percent(totalMs(tasks) / (seconds * 1_000)),
      'of it script, % of the time': percent(scriptMs / (seconds * 1_000)),
      'main thread, % of a core': isReal ? percent(recordingShare) : null,
      'the same with only the caret blinking': isReal ? percent(restingShare) : null,
    };
  } finally {
    await browser.close();
  }
}

/** The share of a core that the main thread takes; null where the system does not tell. */
async function mainShare(browser: Browser, seconds: number): Promise<number | null> {
  const before = await readThreadTimes(browser);
  const startedMs = performance.now();
  await sleep(seconds * 1_000);
  const after = await readThreadTimes(browser);
  const elapsedMs = performance.now() - startedMs;
  return before && after ? threadTimesBetween(before, after).mainMs / elapsedMs : null;
}

function percent(share: number | null): number | null {
  return share === null ? null : Number((share * 100).toPrecision(2));
}

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '5' },
    web: { type: 'string', multiple: true, default: ['dist/web'] },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

async function run(): Promise<void> {
  const harness = await startServer(undefined, { WEB_ROOT: await buildHarness() });
  try {
    for (const folder of values.web) await measureBuild(`${harness.url}/empty.html`, folder);
  } finally {
    await harness.stop();
  }
}

async function measureBuild(emptyUrl: string, folder: string): Promise<void> {
  const server = await startServer(undefined, { WEB_ROOT: folder });
  const rounds = Number(values.rounds);
  try {
    const columns: Record<string, Figures> = {};
    for (const rate of RATES) {
      columns[`slowed ${rate} x`] = {
        ...(await measureLoads(emptyUrl, server.url, { rate, rounds })),
        ...(await measureRecording(server.url, rate, Number(values.seconds))),
      };
    }
    console.log(`\n${folder}`);
    printColumns(columns);
  } finally {
    await server.stop();
  }
}

function printColumns(columns: Readonly<Record<string, Figures>>): void {
  const rows: Record<string, Record<string, number | null>> = {};
  for (const [column, figures] of Object.entries(columns)) {
    for (const [name, figure] of Object.entries(figures)) {
      rows[name] = { ...rows[name], [column]: figure };
    }
  }
  console.table(rows);
}

if (values.help) console.log(USAGE);
else await run();
