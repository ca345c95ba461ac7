import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright';
import { median } from '../../src/benchmark/run-benchmark.ts';
import { launch } from './live-cost.ts';
import {
  pressToFrameMs,
  START_PAGES,
  START_STATES,
  type StartPage,
  type StartState,
} from './press-to-frame.ts';

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
  /**
   * Whether a new browser first comes to rest, for two seconds; else its own pages count with ours.
   */
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
