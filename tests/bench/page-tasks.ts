import type { Browser } from 'playwright';

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

/** What the browser calls a page's script from. One within another counts once. */
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

/** What the main thread of the busiest page did, in ms. */
export type MainThread = {
  /** How long each task took. */
  readonly tasks: readonly number[];
  /** What script took of them; 0 where that was not asked for. */
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
