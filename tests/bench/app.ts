import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type BrowserContext, chromium } from 'playwright';
import { median } from '../../src/benchmark/run-benchmark.ts';
import { CHROMIUM_ARGUMENTS } from '../../tools/testing/browser-project.ts';
import { freePort } from '../drivers/processes.ts';
import { appPage } from '../e2e/helpers/app-page.ts';
import { dictationPage } from '../e2e/helpers/dictation-page.ts';
import { startServer } from '../e2e/helpers/server.ts';
import { controlServiceWorker } from '../e2e/helpers/service-worker-control.ts';
import { createFakeEngine } from '../helpers/fake-engine.ts';
import { startServer as startOwnServer } from '../helpers/running-server.ts';
import { launch } from './live-cost.ts';
import { type FirstAnswer, openImpatiently } from './page-answer.ts';

/** A server seen from afar: what goes there and comes back is on its way for `rttMs` in all. */
export type FarServer = { readonly url: string; close(): void };

/** Puts a server of this machine at the end of a long line, with all the bandwidth there is. */
export async function moveFarAway(port: number, rttMs: number): Promise<FarServer> {
  const sockets = new Set<Socket>();
  const far = createServer((near) => {
    const there = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [near, there],
      [there, near],
    ] as const) {
      sockets.add(from);
      const later = (run: () => void) => setTimeout(run, rttMs / 2);
      from.on('data', (bytes) => later(() => to.writable && to.write(bytes)));
      from.on('end', () => later(() => to.end()));
      from.on('error', () => to.destroy());
    }
  });
  const chosen = await freePort();
  await new Promise<void>((resolve) => far.listen(chosen, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${chosen}`,
    close() {
      far.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

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

/** What waited when the page was closed, and how long it took to be sent. */
export type SentWhenClosed = {
  readonly chunks: number;
  readonly audioS: number;
  /** From the browser's call to the last chunk's text, of a recogniser that takes no time. */
  readonly seconds: number;
};

const POLL_MS = 5;

/** Dictates `chunks` times while nobody writes anything down, closes the page, and has it sent. */
export async function measureSentWhenClosed(chunks: number): Promise<SentWhenClosed> {
  const engine = createFakeEngine(null);
  engine.set({ kind: 'loading' });
  const pages = { kind: 'folder', webRoot: 'dist/web' } as const;
  const server = await startOwnServer({ engine: engine.engine, pages });
  const browser = await launch();
  try {
    const context = await browser.newContext({ locale: 'en-US', permissions: ['microphone'] });
    const page = await context.newPage();
    await page.goto(server.url);
    await appPage(page).untilKept();
    const dictation = dictationPage(page);
    await dictation.field.click();
    for (let count = 1; count <= chunks; count += 1) {
      await dictation.startDictating();
      await page.waitForFunction(() => {
        const time = document.querySelector<HTMLTimeElement>('.recording-time')?.dateTime ?? '';
        return Number(time.slice(2, -1)) >= 3;
      });
      await dictation.stopDictating();
      await page
        .locator('.waiting li')
        .nth(count - 1)
        .waitFor();
    }
    const control = await controlServiceWorker(await context.newPage(), server.url);
    await page.close();
    engine.set({ kind: 'ready' });
    const calledMs = performance.now();
    await control.sync('diktera-queue:sv');
    for (let answered = 0; answered < chunks; await sleep(POLL_MS)) {
      for (const call of engine.calls.slice(answered)) {
        call.answer('words');
        answered += 1;
      }
    }
    const samples = engine.calls.reduce((sum, call) => sum + call.samples.length, 0);
    return {
      chunks,
      audioS: Number((samples / 16_000).toFixed(1)),
      seconds: Number(((performance.now() - calledMs) / 1_000).toFixed(2)),
    };
  } finally {
    await browser.close();
    await server.close();
  }
}

const USAGE = `Usage: npm run bench -- app [--slowed N]... [--rtt N] [--rounds N] [--chunks N]

The page as an app: how soon it can be written in and answers a press when it is opened a second time, from its server
as it was without a service worker, and kept, with a network and without; and how fast what waits is sent with no page
open. Figures, never a pass or a failure.

  --slowed N   how many times the processor is slowed; several are measured one after the other (1 and 6)
  --rtt N      ms to the server and back (0: it is on this machine)
  --rounds N   openings each way, in turn (7); 0: none
  --chunks N   dictations that wait when the page is closed (8); 0: none
  -h, --help   this text`;

const { values } = parseArgs({
  options: {
    slowed: { type: 'string', multiple: true, default: ['1', '6'] },
    rtt: { type: 'string', default: '0' },
    rounds: { type: 'string', default: '7' },
    chunks: { type: 'string', default: '8' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (values.help) {
  console.log(USAGE);
} else {
  if (Number(values.rounds) > 0) await printSecondStarts(values.slowed.map(Number));
  if (Number(values.chunks) > 0) {
    console.log('\nSent with no page open');
    console.table([await measureSentWhenClosed(Number(values.chunks))]);
  }
}

async function printSecondStarts(rates: readonly number[]): Promise<void> {
  const server = await startServer();
  const far = await moveFarAway(server.port, Number(values.rtt));
  try {
    for (const rate of rates) {
      console.log(
        `\nOpened a second time, processor slowed ${rate} x, ${values.rtt} ms away, medians in ms`,
      );
      const starts = await measureSecondStarts(far.url, Number(values.rounds), rate);
      console.table(Object.fromEntries(starts));
    }
  } finally {
    far.close();
    await server.stop();
  }
}
