import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright';
import { median } from '../../src/benchmark/percentile.ts';
import { launch } from './live-cost.ts';

const PAGES = ['microphone', 'diktera', 'vad-web'] as const;

/** How long a page that people have been reading has been open. */
const READING_MS = 1_500;

/** A browser is at rest when it has used at most this share of a core for so long. */
const REST_MS = 250;
const REST_SHARE = 0.1;
const REST_DEADLINE_MS = 5_000;

/** From a press to the first frame, in a browser that has never seen the page. */
export type StartupRow = {
  /** `microphone` is the least anybody needs: it, a worklet, and 96 ms to speak a frame. */
  readonly engine: (typeof PAGES)[number];
  /** `cold`: everything loads while the microphone opens. `read`: after 1.5 s of reading. */
  readonly page: 'cold' | 'read';
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
  const kinds = (['cold', 'read'] as const).flatMap((page) =>
    PAGES.map((engine) => ({ engine, page, roundsMs: [] as number[] })),
  );
  for (let round = -thrownAway; round < rounds; round++) {
    for (const { engine, page, roundsMs } of kinds) {
      const ms = await pressOnce(
        `${address}/startup.html?page=${engine}&state=${page}`,
        page,
        waitsForRest,
      );
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
  url: string,
  kind: StartupRow['page'],
  waitsForRest: boolean,
): Promise<number> {
  const browser = await launch();
  try {
    const context = await browser.newContext({ permissions: ['microphone'] });
    const page = await context.newPage();
    if (waitsForRest) await untilAtRest(browser);
    await page.goto(url);
    await page.getByText('ready').waitFor();
    if (kind === 'read') await sleep(READING_MS);
    return await page.evaluate(() => {
      const { pressToFrameMs } = globalThis as unknown as {
        pressToFrameMs: () => Promise<number>;
      };
      return pressToFrameMs();
    });
  } finally {
    await browser.close();
  }
}
