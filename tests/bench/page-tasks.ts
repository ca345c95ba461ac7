import type { Browser } from 'playwright';

/** As much of a trace's event as is read here. */
type TraceEvent = {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds. */
  readonly dur?: number;
  readonly args: { readonly name?: string };
};

/** A task longer than this keeps a person waiting (the platform's definition of a long task). */
const LONG_TASK_MS = 50;

/** How long each task of the busiest page's main thread took while `run` ran, in ms. */
export async function traceTasks(
  browser: Browser,
  run: () => Promise<unknown>,
): Promise<readonly number[]> {
  const session = await browser.newBrowserCDPSession();
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => {
    events.push(...(value as unknown as TraceEvent[]));
  });
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel'] },
  });
  await run();
  const isComplete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.end');
  await isComplete;
  await session.detach();
  return busiest(mainThreads(events));
}

function mainThreads(events: readonly TraceEvent[]): readonly (readonly number[])[] {
  const keyOf = ({ pid, tid }: TraceEvent) => `${pid}:${tid}`;
  const tasks = new Map<string, number[]>();
  for (const event of events) {
    if (event.name !== 'thread_name' || event.args.name !== 'CrRendererMain') continue;
    tasks.set(keyOf(event), []);
  }
  for (const event of events) {
    if (event.name !== 'ThreadControllerImpl::RunTask') continue;
    tasks.get(keyOf(event))?.push((event.dur ?? 0) / 1_000);
  }
  return [...tasks.values()];
}

function busiest(threads: readonly (readonly number[])[]): readonly number[] {
  return threads.reduce((one, other) => (sum(other) > sum(one) ? other : one), []);
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
