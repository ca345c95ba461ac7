import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BrowserContext, chromium } from 'playwright';
import { median } from '../../src/benchmark/run-benchmark.ts';
import { CHROMIUM_ARGUMENTS } from '../../tools/testing/browser-project.ts';
import { appPage } from '../e2e/helpers/app-page.ts';
import { type FirstAnswer, openImpatiently } from './page-answer.ts';

/** What a browser that has been started anew does for itself is over by then. */
const BROWSER_START_MS = 1_500;

/** A browser that is closed sooner has not written down yet that there is a service worker. */
const WRITTEN_DOWN_MS = 12_000;

/** How the page comes the second time. */
const WAYS = [
  'from the server, none kept',
  'kept, with a network',
  'kept, without a network',
] as const;
export type Way = (typeof WAYS)[number];

/** Medians over the rounds, in ms since the navigation began. */
export type SecondStart = {
  /** The text can be clicked and written in. */
  readonly fieldMs: number;
  /** Diktera, pressed at once, is seen to answer. */
  readonly answerMs: number;
  /** It is seen to record. */
  readonly recordingMs: number;
};

/**
 * Opens the page in a browser that has had it before and was closed since, each way in turn: a
 * profile for each on the disk, on a processor slowed `rate` times.
 */
export async function measureSecondStarts(
  url: string,
  rounds: number,
  rate: number,
): Promise<ReadonlyMap<Way, SecondStart>> {
  const profiles = WAYS.map((way) => ({
    way,
    folder: mkdtempSync(join(tmpdir(), 'diktera-second-')),
    answers: [] as FirstAnswer[],
  }));
  try {
    for (const { way, folder } of profiles) await visitOnce(url, folder, way);
    // The first round reads everything from the disk, and is thrown away.
    for (let round = -1; round < rounds; round += 1) {
      for (const { way, folder, answers } of profiles) {
        const answer = await openOnce(url, folder, way, rate);
        if (round >= 0) answers.push(answer);
      }
    }
    return new Map(profiles.map(({ way, answers }) => [way, mediansOf(answers)]));
  } finally {
    for (const { folder } of profiles) rmSync(folder, { recursive: true, force: true });
  }
}

async function visitOnce(url: string, folder: string, way: Way): Promise<void> {
  const context = await openProfile(folder, way);
  const page = await context.newPage();
  await page.goto(url);
  if (isKept(way)) await appPage(page).untilKept();
  else await page.locator('.app-bar').waitFor({ state: 'attached' });
  await sleep(WRITTEN_DOWN_MS);
  await context.close();
}

async function openOnce(url: string, folder: string, way: Way, rate: number): Promise<FirstAnswer> {
  const context = await openProfile(folder, way);
  try {
    const page = await context.newPage();
    const devTools = await context.newCDPSession(page);
    await devTools.send('Emulation.setCPUThrottlingRate', { rate });
    await sleep(BROWSER_START_MS);
    await context.setOffline(way === 'kept, without a network');
    const navigable = {
      navigate: (address: string) => page.goto(address, { waitUntil: 'commit' }),
      evaluate: <Value>(expression: string) => page.evaluate<Value>(expression),
    };
    const answer = await openImpatiently(navigable, url);
    const isServed = await page.evaluate(() => navigator.serviceWorker.controller !== null);
    if (isServed !== isKept(way)) throw new Error(`The page did not come as it was to: ${way}`);
    return answer;
  } finally {
    await context.close();
  }
}

const isKept = (way: Way): boolean => way !== 'from the server, none kept';

function openProfile(folder: string, way: Way): Promise<BrowserContext> {
  const executablePath = process.env.DIKTERA_BROWSER;
  return chromium.launchPersistentContext(folder, {
    ...(executablePath ? { executablePath } : {}),
    args: [
      ...CHROMIUM_ARGUMENTS,
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
      `--use-file-for-fake-audio-capture=${resolve('tests/fixtures/dictation-one.wav')}`,
    ],
    locale: 'en-US',
    permissions: ['microphone'],
    serviceWorkers: isKept(way) ? 'allow' : 'block',
  });
}

function mediansOf(answers: readonly FirstAnswer[]): SecondStart {
  const middle = (key: keyof FirstAnswer): number =>
    Math.round(median(answers.map((answer) => answer[key])));
  return {
    fieldMs: middle('fieldMs'),
    answerMs: middle('answerMs'),
    recordingMs: middle('recordingMs'),
  };
}
