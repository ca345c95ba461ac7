import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { firefox, type Page } from 'playwright';
import { FULL_PLAN, median } from '../../src/benchmark/run-benchmark.ts';
import { FIREFOX_VARIABLE } from '../../tools/browsers.ts';
import { FIREFOX_PREFERENCES } from '../drivers/firefox.ts';
import { startSoundServer } from '../drivers/sound-server.ts';
import { dictationPage } from '../e2e/helpers/dictation-page.ts';
import { startServer } from '../e2e/helpers/server.ts';
import { commandOf, familyOf } from '../helpers/process-family.ts';
import { buildHarness } from './build-harness.ts';
import { threadsOf } from './process-figures.ts';
import { measureSideBySide, pressToFrameMs, START_PAGES, START_STATES } from './startup.ts';

const USAGE = `Usage: npm run bench -- firefox [--seconds N] [--rounds N] [--live-rounds N]

In Firefox, with a microphone of a sound server's own: the kernel, onnxruntime-web and vad-web side by side; from a press to
the first frame; and what recording costs, all of the browser's processes together, beside a bare page that opens the
microphone, and vad-web's. In turn, each time in a new browser. Figures, never a pass or a failure.

  --seconds N      how long each is recorded (25)
  --rounds N       how often each is started (5)
  --live-rounds N  how often each is recorded (3)
  -h, --help       this text`;

/** A new browser does much of its own at first. */
const REST_MS = 4_000;
const VOICE = resolve('tests/fixtures/dictation-one.wav');

type Opened = { readonly page: Page; readonly pids: () => readonly number[] };

/** Runs `work` in a new Firefox, in a profile of its own. */
async function inFirefox<Value>(work: (opened: Opened) => Promise<Value>): Promise<Value> {
  const profile = mkdtempSync(join(tmpdir(), 'diktera-firefox-'));
  const executablePath = process.env[FIREFOX_VARIABLE];
  const context = await firefox.launchPersistentContext(profile, {
    channel: 'moz-firefox',
    ...(executablePath ? { executablePath } : {}),
    firefoxUserPrefs: { ...FIREFOX_PREFERENCES, 'intl.accept_languages': 'en-US' },
  });
  const isOurs = (pid: number) => commandOf(pid).includes(profile);
  try {
    const page = await context.newPage();
    await sleep(REST_MS);
    return await work({
      page,
      pids: () => [...new Set(familyOf(process.pid).filter(isOurs).flatMap(familyOf))],
    });
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

const usedMs = (pids: readonly number[]): number =>
  pids.flatMap(threadsOf).reduce((sum, { ms }) => sum + ms, 0);

/** What is recorded, by what is told of it: resolves when it is under way. */
const recordings = (ours: string, harness: string) => ({
  'capture only': async (page: Page) => {
    await page.goto(`${harness}/bare.html`);
    await page.getByText('recording').waitFor();
  },
  diktera: async (page: Page) => {
    await page.goto(ours);
    const dictation = dictationPage(page);
    await dictation.field.click();
    await dictation.startDictating();
  },
  'vad-web': async (page: Page) => {
    await page.goto(`${harness}/live-peer.html`);
    await page.getByText('listening').waitFor();
  },
});

/** Percent of a core, of all processes. */
const costOf = (start: (page: Page) => Promise<void>, seconds: number): Promise<number> =>
  inFirefox(async ({ page, pids }) => {
    await start(page);
    await sleep(REST_MS);
    const beforeMs = usedMs(pids());
    const startedMs = performance.now();
    await sleep(seconds * 1_000);
    return (100 * (usedMs(pids()) - beforeMs)) / (performance.now() - startedMs);
  });

/** Speaks into the room over and over, until it is ended. */
function speak(): () => void {
  const again = 'while paplay --device=room "$0"; do :; done';
  const voice = spawn('sh', ['-c', again, VOICE], { stdio: 'ignore', detached: true });
  return () => {
    if (voice.pid !== undefined) process.kill(-voice.pid);
  };
}

/** Measures each of `kinds` in turn, `rounds` times; their medians and rounds. */
async function inTurn<Kind extends string>(
  kinds: readonly Kind[],
  rounds: number,
  measure: (kind: Kind) => Promise<number>,
): Promise<Record<string, { median: number; rounds: string }>> {
  const found = new Map<Kind, number[]>(kinds.map((kind) => [kind, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const kind of kinds) found.get(kind)?.push(await measure(kind));
  }
  const rows = [...found].map(([kind, values]) => {
    const told = values.map((value) => value.toFixed(1)).join(' ');
    return [kind, { median: Number(median(values).toFixed(1)), rounds: told }] as const;
  });
  return Object.fromEntries(rows);
}

async function run(seconds: number, rounds: number, liveRounds: number): Promise<void> {
  const harness = await startServer(undefined, { WEB_ROOT: await buildHarness() });
  const product = await startServer();
  const endSound = await startSoundServer();
  if (!endSound) throw new Error('There is no PulseAudio, and Firefox has no microphone');
  const silence = speak();
  try {
    const { rows } = await inFirefox(({ page }) => measureSideBySide(page, harness.url, FULL_PLAN));
    console.table(
      Object.fromEntries(
        rows.map(({ engine, threads, xRealtime, startupMs }) => [
          `${engine} x${threads}`,
          { 'x real time': Math.round(xRealtime), 'start ms': Math.round(startupMs) },
        ]),
      ),
    );
    for (const state of START_STATES) {
      console.log(`\nFrom a press to the first frame, ${state}, ms`);
      const measure = (name: (typeof START_PAGES)[number]) =>
        inFirefox(({ page }) => pressToFrameMs(page, harness.url, name, state));
      console.table(await inTurn(START_PAGES, rounds, measure));
    }
    console.log('\nWhile it records, all processes, % of a core');
    const starts = recordings(product.url, harness.url);
    const kinds = ['capture only', 'diktera', 'vad-web'] as const;
    console.table(await inTurn(kinds, liveRounds, (kind) => costOf(starts[kind], seconds)));
  } finally {
    silence();
    endSound();
    await Promise.all([harness.stop(), product.stop()]);
  }
}

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '25' },
    rounds: { type: 'string', default: '5' },
    'live-rounds': { type: 'string', default: '3' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

if (values.help) console.log(USAGE);
else await run(Number(values.seconds), Number(values.rounds), Number(values['live-rounds']));
