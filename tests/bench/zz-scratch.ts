import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { firefox, type Page } from 'playwright';
import { median } from '/work/main/src/benchmark/percentile.ts';
import { FULL_PLAN } from '/work/main/src/benchmark/run-benchmark.ts';
import { FIREFOX_VARIABLE } from '/work/main/tools/firefox.ts';
import { FIREFOX_PREFERENCES } from '/work/main/tools/testing/firefox-provider.ts';
import { startSoundServer } from '/work/main/tools/testing/sound-server.ts';
import { dictationPage } from '/work/main/tests/e2e/helpers/dictation-page.ts';
import { startServer } from '/work/main/tests/e2e/helpers/server.ts';
import { commandOf, familyOf } from '/work/main/tests/helpers/process-family.ts';
import { buildHarness } from '/work/main/tests/bench/build-harness.ts';
import { pressToFrameMs, START_PAGES, START_STATES } from '/work/main/tests/bench/press-to-frame.ts';
import { threadsOf } from '/work/main/tests/bench/process-times.ts';
import { measureSideBySide } from '/work/main/tests/bench/side-by-side.ts';

const USAGE = `Usage: npm run bench:firefox -- [--seconds N] [--rounds N] [--live-rounds N]

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
    firefoxUserPrefs: { ...FIREFOX_PREFERENCES, 'intl.accept_languages': 'sv-SE' },
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


const product = await startServer();
const endSound = await startSoundServer();
const silence = speak();
const how = process.argv[2] ?? '';
for (let n = 0; n < 2; n++) await inFirefox(async ({ page, pids }) => {
  await recordings(product.url, '').diktera(page);
  if (how) await page.evaluate(how);
  await sleep(REST_MS);
  const read = () => { const m = new Map<string, number>(); for (const pid of pids()) for (const t of threadsOf(pid)) { const k = pid + ' ' + t.name + ' ' + commandOf(pid).slice(-24); m.set(k, (m.get(k) ?? 0) + t.ms); } return m; };
  const before = read();
  await sleep(15000);
  const rows = [...read()].map(([k, ms]) => [k, (ms - (before.get(k) ?? 0)) / 150] as const).filter(([, v]) => v > 0.05).sort((a, b) => b[1] - a[1]);
  console.log('sum', rows.reduce((a, b) => a + b[1], 0).toFixed(2));
  for (const [k, v] of rows) console.log(v.toFixed(2), k);
});
silence(); endSound(); await product.stop(); process.exit(0);
