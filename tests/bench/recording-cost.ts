import { resolve } from 'node:path';
import { createServer } from 'vite';
import type { RecordingBench } from './harness/recording-cost.ts';
import { launch } from './live-cost.ts';
import { readThreadTimes, timesBetween } from './thread-time.ts';

declare const bench: RecordingBench;

const MINUTES = 20;

/**
 * What it costs to encode every recording whole, beside its chunks: processor time and bytes for
 * each minute of speech and of quiet, in Chromium.
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
} finally {
  await browser.close();
  await vite.close();
}
