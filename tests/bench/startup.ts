import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright';
import { type BenchmarkPlan, median } from '../../src/benchmark/run-benchmark.ts';
import type { SideBySide } from './harness/side-by-side.ts';
import { launch } from './live-cost.ts';

/** The time that people have read a page before they press; and after a recording, its text. */
const READING_MS = 1_500;

/**
 * The pages measured. `microphone` is the least possible: a microphone, a worklet, and 96 ms for a
 * frame.
 */
const START_PAGES = ['microphone', 'diktera', 'vad-web'] as const;

/**
 * `cold`: everything loads while the microphone opens. `read`: after 1.5 s of reading. `again`: the
 * second press, 1.5 s after the first recording's end.
 */
export const START_STATES = ['cold', 'read', 'again'] as const;

export type StartPage = (typeof START_PAGES)[number];
export type StartState = (typeof START_STATES)[number];

/** From a press to the first frame, in ms, on the harness's page in a browser that never saw it. */
export async function pressToFrameMs(
  page: Page,
  address: string,
  name: StartPage,
  state: StartState,
): Promise<number> {
  await page.goto(`${address}/startup.html?page=${name}&state=${state}`);
  await page.getByText('ready').waitFor();
  if (state !== 'cold') await sleep(READING_MS);
  return await page.evaluate(() => {
    const { pressToFrameMs } = globalThis as unknown as { pressToFrameMs: () => Promise<number> };
    return pressToFrameMs();
  });
}

/** Ten engines take their time where much else runs. */
const RUN_DEADLINE_MS = 300_000;

/** Runs the benchmark page's own code in a page of the harness that has the peer, too. */
export async function measureSideBySide(
  page: Page,
  url: string,
  plan: BenchmarkPlan,
): Promise<SideBySide> {
  page.setDefaultTimeout(RUN_DEADLINE_MS);
  page.on('pageerror', ({ message }) => console.error(message));
  await page.goto(url);
  await page.getByText('ready').waitFor();
  return await page.evaluate<SideBySide, BenchmarkPlan>((plan) => {
    const { measure } = globalThis as unknown as {
      measure: (plan: BenchmarkPlan) => Promise<SideBySide>;
    };
    return measure(plan);
  }, plan);
}

/** A browser is at rest when it has used at most this share of a core for so long. */
const REST_MS = 250;
const REST_SHARE = 0.1;
const REST_DEADLINE_MS = 5_000;

/** From a press to the first frame, in a browser that has never seen the page. */
export type StartupRow = {
  readonly engine: StartPage;
  readonly page: StartState;
  /** Median over the rounds. */
  readonly firstFrameMs: number;
  readonly roundsMs: readonly number[];
};

export type StartupPlan = {
  /** Rounds before those that count: the first reads everything from the disk. */
  readonly thrownAway: number;
  readonly rounds: number;
  /** True to let a new browser come to rest for two seconds; else its own pages count with ours. */
  readonly waitsForRest: boolean;
};

/** The three in turn, each time in a new browser. */
export async function measureStartup(
  address: string,
  { thrownAway, rounds, waitsForRest }: StartupPlan,
): Promise<StartupRow[]> {
  const kinds = START_STATES.flatMap((page) =>
    START_PAGES.map((engine) => ({ engine, page, roundsMs: [] as number[] })),
  );
  for (let round = -thrownAway; round < rounds; round++) {
    for (const { engine, page, roundsMs } of kinds) {
      const ms = await pressOnce(address, engine, page, waitsForRest);
      if (round >= 0) roundsMs.push(ms);
    }
  }
  return kinds.map((kind) => ({ ...kind, firstFrameMs: median(kind.roundsMs) }));
}

/** A new browser loads pages of its own for a second, which would be measured with ours. */
async function untilAtRest(browser: Browser): Promise<void> {
  const session = await browser.newBrowserCDPSession();
  const usedMs = async (): Promise<number> => {
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    return 1_000 * processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
  };
  const deadlineMs = performance.now() + REST_DEADLINE_MS;
  let beforeMs = await usedMs();
  for (let isBusy = true; isBusy && performance.now() < deadlineMs; ) {
    await sleep(REST_MS);
    const nowMs = await usedMs();
    isBusy = nowMs - beforeMs > REST_MS * REST_SHARE;
    beforeMs = nowMs;
  }
  await session.detach();
}

async function pressOnce(
  address: string,
  engine: StartPage,
  state: StartState,
  waitsForRest: boolean,
): Promise<number> {
  const browser = await launch();
  try {
    const context = await browser.newContext({ permissions: ['microphone'] });
    const page = await context.newPage();
    if (waitsForRest) await untilAtRest(browser);
    return await pressToFrameMs(page, address, engine, state);
  } finally {
    await browser.close();
  }
}
