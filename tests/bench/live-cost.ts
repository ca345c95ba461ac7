import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, chromium, type LaunchOptions, type Page } from 'playwright';
import { CHROMIUM_ARGUMENTS } from '../../tools/testing/browser-project.ts';
import { readThreadTimes, threadTimesBetween } from './process-figures.ts';

/** Plays over and over. */
const COST_VOICE = resolve('tests/fixtures/dictation-one.wav');

/** The cost of listening while somebody speaks, as shares of one core. */
export type LiveRow = {
  readonly engine: 'diktera' | 'vad-web';
  readonly seconds: number;
  readonly mainCoreShare: number | null;
  readonly workerCoreShare: number | null;
  readonly rendererCoreShare: number | null;
};

export type LivePage = {
  readonly engine: LiveRow['engine'];
  readonly url: string;
  /** Starts listening; resolves when it does. */
  readonly start: (page: Page) => Promise<void>;
};

/** Listens to a fake microphone for so long, in a browser of its own, and reads what it cost. */
export async function measureLive(
  { engine, url, start }: LivePage,
  seconds: number,
): Promise<LiveRow> {
  const browser = await launch();
  try {
    const context = await browser.newContext({ locale: 'en-US', permissions: ['microphone'] });
    const page = await context.newPage();
    await page.goto(url);
    await start(page);
    // Start and warm-up are not part of listening.
    await sleep(2_000);
    const before = await readThreadTimes(browser);
    const startedMs = performance.now();
    await sleep(seconds * 1_000);
    const after = await readThreadTimes(browser);
    const elapsedMs = performance.now() - startedMs;
    const used = before && after ? threadTimesBetween(before, after) : null;
    const share = (ms: number | undefined) => (ms === undefined ? null : ms / elapsedMs);
    return {
      engine,
      seconds,
      mainCoreShare: share(used?.mainMs),
      workerCoreShare: share(used?.workerMs),
      rendererCoreShare: share(used?.totalMs),
    };
  } finally {
    await browser.close();
  }
}

export function launch(): Promise<Browser> {
  return chromium.launch(launchOptions());
}

/** A browser with a fake microphone that speaks. */
function launchOptions(): LaunchOptions {
  const executablePath = process.env.DIKTERA_BROWSER;
  return {
    ...(executablePath ? { executablePath } : {}),
    args: [
      ...CHROMIUM_ARGUMENTS,
      '--autoplay-policy=no-user-gesture-required',
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
      `--use-file-for-fake-audio-capture=${COST_VOICE}`,
    ],
  };
}
