import { resolve } from 'node:path';
import type { Browser } from 'playwright';
import { createServer } from 'vite';
import type { RecordingBench } from './harness/recording-cost.ts';
import { launch } from './live-cost.ts';
import { readThreadTimes, timesBetween } from './thread-time.ts';

declare const bench: RecordingBench;

const MINUTES = 20;

/** Of each way in turn, so that what else the machine does is shared; the first only warms up. */
const ROUNDS = 5;
const MINUTES_A_ROUND = 4;

const WAYS = [
  { name: 'nothing kept, nothing waits for the disk', isStrict: false, isKept: false },
  { name: 'nothing kept', isStrict: true, isKept: false },
  { name: 'kept whole, nothing waits for the disk', isStrict: false, isKept: true },
  { name: 'kept whole', isStrict: true, isKept: true },
] as const;

/** Seconds of processor time that all of the browser has used. */
async function browserSeconds(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
}

/**
 * What it costs, in Chromium: to encode every recording whole, beside its chunks, for each minute of
 * speech and of quiet; then, with all of the browser's processes, to store a minute of speech: with
 * and without the recording, and with and without writes that wait for the disk itself.
 */
const vite = await createServer({
  configFile: false,
  root: resolve('.'),
  logLevel: 'error',
  optimizeDeps: { entries: ['tests/bench/harness/recording-cost.html'] },
});
await vite.listen();
const browser = await launch();
try {
  const page = await browser.newPage();
  await page.goto(`${vite.resolvedUrls?.local[0] ?? ''}tests/bench/harness/recording-cost.html`);
  await page.waitForFunction(() => 'bench' in globalThis);
  console.log(`Format: ${await page.evaluate(() => bench.type())}`);
  for (const kind of ['voice', 'quiet'] as const) {
    // What starting costs is not what a minute costs.
    await page.evaluate((one) => bench.pack(one, 1), kind);
    const before = await readThreadTimes(browser);
    const bytes = await page.evaluate(([one, n]) => bench.pack(one, n), [kind, MINUTES] as const);
    const after = await readThreadTimes(browser);
    const used = before && after ? timesBetween(before, after) : null;
    const ms = used ? (used.totalMs / MINUTES).toFixed(0) : '?';
    console.log(`${kind}: ${ms} ms of processor time and ${bytes} bytes for each minute`);
  }
  const spentMs = WAYS.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [at, { name, ...keeping }] of WAYS.entries()) {
      const before = await browserSeconds(browser);
      const written = await page.evaluate(([way, n]) => bench.keep(way, n), [
        keeping,
        MINUTES_A_ROUND,
      ] as const);
      const ms = ((await browserSeconds(browser)) - before) * 1_000;
      if (round > 0) spentMs[at]?.push(ms / MINUTES_A_ROUND);
      if (round < ROUNDS - 1) continue;
      const sorted = spentMs[at]?.toSorted((a, b) => a - b) ?? [];
      const [least = 0, most = 0] = [sorted[0], sorted.at(-1)];
      const median = ((sorted[1] ?? 0) + (sorted[2] ?? 0)) / 2;
      const share = ((100 * median) / 60_000).toFixed(2);
      const writes = (written.writes / MINUTES_A_ROUND).toFixed(0);
      const kilobytes = (written.bytes / MINUTES_A_ROUND / 1_000).toFixed(0);
      console.log(
        `${name}: ${median.toFixed(0)} ms (${least.toFixed(0)} to ${most.toFixed(0)}), ${share} % of a core, ${writes} writes and ${kilobytes} kB for each minute`,
      );
    }
  }
} finally {
  await browser.close();
  await vite.close();
}
