import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { type BenchmarkPlan, FULL_PLAN } from '../../src/benchmark/run-benchmark.ts';
import { dictationPage } from '../e2e/helpers/dictation-page.ts';
import { startServer } from '../e2e/helpers/server.ts';
import { buildHarness } from './build-harness.ts';
import type { SideBySide } from './harness/side-by-side.ts';
import { type LiveRow, launch, measureLive } from './live-cost.ts';
import { printResult, ratiosOf } from './print-result.ts';
import { measureSideBySide, measureStartup, type StartupPlan } from './startup.ts';

const USAGE = `Usage: npm run bench -- peers [--quick] [--json FILE]

Measures the kernel, onnxruntime-web and @ricky0123/vad-web side by side in one headless Chromium, then
what listening to a microphone costs and how long it takes to begin, ours and the peer's in turn. Figures, never a pass or a failure.

  --quick       under a minute: fewer and shorter rounds, 3 s of listening instead of 60, one start
  --json FILE   writes the figures there, too
  -h, --help    this text`;

const QUICK_PLAN: BenchmarkPlan = { rounds: 3, turnMs: 100, liveMs: 1_000 };
const LIVE_SECONDS = 60;
const QUICK_LIVE_SECONDS = 3;
const STARTS: StartupPlan = { thrownAway: 1, rounds: 9, waitsForRest: true };
const QUICK_STARTS: StartupPlan = { thrownAway: 0, rounds: 1, waitsForRest: false };

async function sideBySide(url: string, plan: BenchmarkPlan): Promise<SideBySide> {
  const browser = await launch();
  try {
    return await measureSideBySide(await browser.newPage(), url, plan);
  } finally {
    await browser.close();
  }
}

async function liveRows(ours: string, peers: string, seconds: number): Promise<LiveRow[]> {
  return [
    await measureLive(
      {
        engine: 'diktera',
        url: ours,
        start: async (page) => {
          const dictation = dictationPage(page);
          await dictation.field.click();
          await dictation.startDictating();
        },
      },
      seconds,
    ),
    await measureLive(
      {
        engine: 'vad-web',
        url: `${peers}/live-peer.html`,
        start: (page) => page.getByText('listening').waitFor(),
      },
      seconds,
    ),
  ];
}

function readValues() {
  try {
    return parseArgs({
      options: {
        quick: { type: 'boolean', default: false },
        json: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    console.error(`bench: ${error instanceof Error ? error.message : error}`);
    process.exit(2);
  }
}

const values = readValues();
if (values.help) {
  console.log(USAGE);
} else {
  // Windows has no such figure and says 0.
  const loadBefore = loadavg()[0] || null;
  const harness = await buildHarness();
  const product = await startServer();
  const pages = await startServer(undefined, { WEB_ROOT: harness });
  try {
    const { machine, audio, rows, failures } = await sideBySide(
      pages.url,
      values.quick ? QUICK_PLAN : FULL_PLAN,
    );
    const seconds = values.quick ? QUICK_LIVE_SECONDS : LIVE_SECONDS;
    const live = await liveRows(product.url, pages.url, seconds);
    const startup = await measureStartup(pages.url, values.quick ? QUICK_STARTS : STARTS);
    const result = {
      kind: 'diktera-benchmark',
      machine: { ...machine, processor: cpus()[0]?.model ?? '', loadBefore },
      date: new Date().toISOString(),
      audio,
      rows,
      live,
      startup,
      ratios: ratiosOf(rows, live, startup),
      failures,
    };
    printResult(result);
    if (values.json) writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`);
  } finally {
    await Promise.all([product.stop(), pages.stop()]);
  }
}
