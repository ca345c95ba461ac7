import { afterAll } from 'vitest';
import type { InsertTime } from '../../../src/core/options/dictation-options.ts';
import { type BenchTab, benchTab } from './fault-bench.ts';
import { createKillableBrowser, type KillableBrowser } from './killable-browser.ts';
import { type RecordingServer, startRecordingServer } from './recording-server.ts';

/** Runs of each case that depends on chance; `npm run test:faults` sets more. */
export const REPETITIONS = Math.max(1, Number(process.env.FAULT_REPETITIONS ?? 1));

/** Everything with live pieces, inserted when it says: `at-stop` or `at-pause`. */
const LIVE = process.env.FAULT_LIVE ?? '';

/**
 * A server, and a browser with a profile on disk. Each run's server has an address of its own, so
 * that nothing is stored there before.
 */
export type FaultRun = {
  readonly server: RecordingServer;
  readonly browser: KillableBrowser;
  /** `keptSamples` is how far back the microphone's ring reaches. @default as in the worklet */
  openTab(keptSamples?: number): Promise<BenchTab>;
  /** A tab that dictates in live pieces. */
  openLiveTab(insert: InsertTime): Promise<BenchTab>;
  /** A tab with the real capture and worklet, which hears what is spoken in real time. */
  openHearingTab(): Promise<BenchTab>;
  dispose(): Promise<void>;
};

/** The browser of a file's tests: starting one takes longer than many a test. */
let shared: KillableBrowser | null = null;

afterAll(async () => {
  await shared?.dispose();
  shared = null;
});

async function takeShared(): Promise<KillableBrowser> {
  shared ??= createKillableBrowser();
  if (!shared.isRunning()) await shared.start();
  return shared;
}

/** Closes what is open; a browser that cannot do that is not used again. */
async function putBack(browser: KillableBrowser): Promise<void> {
  if (await browser.closePages().catch(() => false)) return;
  shared = null;
  await browser.dispose();
}

/** `isThrottled`: hidden pages are slowed down, as a person's browser does it. */
export async function startFaultRun(isThrottled = false): Promise<FaultRun> {
  const server = await startRecordingServer();
  const browser = isThrottled ? createKillableBrowser(true) : await takeShared();
  if (isThrottled) await browser.start();
  const open = async (query: Record<string, string> = {}): Promise<BenchTab> => {
    const all = new URLSearchParams(LIVE === '' ? query : { live: LIVE, ...query });
    const tab = benchTab(await browser.open(`${server.url}?${all}`));
    await tab.ready();
    return tab;
  };
  return {
    server,
    browser,
    openTab: (keptSamples) => open(keptSamples === undefined ? {} : { kept: `${keptSamples}` }),
    openLiveTab: (insert) => open({ live: insert }),
    openHearingTab: () => open({ heard: '' }),
    async dispose() {
      await (isThrottled ? browser.dispose() : putBack(browser));
      await server.close();
    },
  };
}

/** Numbers between 0 and 1 that are the same in every run (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A number and a source of chances for each repetition, for `describe.each`; always the same. */
export function rounds(seed: number): (readonly [round: number, random: () => number])[] {
  return Array.from({ length: REPETITIONS }, (_, round) => [round, seededRandom(seed + round)]);
}

export function sleepMs(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
