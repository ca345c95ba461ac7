import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Browser, chromium } from 'playwright';
import { CHROMIUM_ARGUMENTS } from '../../tools/testing/browser-project.ts';
import { startServer } from '../e2e/helpers/server.ts';

/** A long file of sound on our page: seconds, memory beyond the page's own, the main thread. */

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    formats: { type: 'string', default: 'm4a,mp3,flac,wav,opus' },

    help: { type: 'boolean', default: false },
  },
});

type Figures = {
  readonly seconds: number;
  readonly pieces: number;
  /** The most that the page's process had beyond what it had before, in MB. */
  readonly memoryMb: number;
  /** The longest task of the page's main thread, in ms. */
  readonly longestTaskMs: number;
};

/** Speech said over and over, by `ffmpeg`; by the codec that belongs to the name's end. */
function longFile(folder: string, ending: string, minutes: number): string {
  const [once, path] = [join(folder, `once.${ending}`), join(folder, `long.${ending}`)];
  const speech = resolve('tests/fixtures/dictation-one.wav');
  const rate = ending === 'opus' ? '48000' : '44100';
  const calls = [
    ['-stream_loop', '-1', '-i', speech, '-t', '60', '-ar', rate, '-ac', '2', once],
    // Encoded once, a minute is said again as it is.
    ['-stream_loop', String(minutes - 1), '-i', once, '-c', 'copy', path],
  ];
  for (const call of calls) {
    const { status } = spawnSync('ffmpeg', ['-loglevel', 'error', '-y', ...call]);
    if (status !== 0) throw new Error(`ffmpeg makes no ${ending} here`);
  }
  return path;
}

/** Proportional memory of the largest renderer, which is the page's, its workers included. */
async function pageMb(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const sizes = processInfo.flatMap(({ type, id }) => {
    if (type !== 'renderer') return [];
    const rollup = readFileSync(`/proc/${id}/smaps_rollup`, 'utf8');
    return [Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) / 1_024];
  });
  return Math.max(...sizes);
}

async function measure(url: string, path: string): Promise<Figures> {
  const executablePath = process.env.DIKTERA_BROWSER;
  const browser = await chromium.launch({
    ...(executablePath ? { executablePath } : {}),
    args: [...CHROMIUM_ARGUMENTS],
  });
  try {
    const page = await browser.newPage();
    let pieces = 0;
    await page.route('**/api/asr/vad', (route) => {
      pieces += 1;
      return route.fulfill({ json: { transcription: `Det som sades i del ${pieces}.` } });
    });
    await page.goto(url);
    const chooser = page.locator('input[type=file]');
    await chooser.waitFor({ state: 'attached' });
    await page.evaluate(() => {
      const longest = Object.assign(globalThis, { longestTaskMs: 0 });
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries())
          longest.longestTaskMs = Math.max(longest.longestTaskMs, duration);
      }).observe({ type: 'longtask' });
    });
    const beforeMb = await pageMb(browser);
    const sinceMs = performance.now();
    await chooser.setInputFiles(path);
    let mostMb = 0;
    const end = page.locator('.file[data-state="done"], .file[data-state="failed"]');
    while ((await end.count()) === 0) {
      mostMb = Math.max(mostMb, await pageMb(browser));
      await new Promise((after) => setTimeout(after, 200));
    }
    const seconds = (performance.now() - sinceMs) / 1_000;
    if ((await end.getAttribute('data-state')) !== 'done') throw new Error(await end.innerText());
    const longestTaskMs = await page.evaluate(
      () => (globalThis as unknown as { longestTaskMs: number }).longestTaskMs,
    );
    return { seconds, pieces, memoryMb: mostMb - beforeMb, longestTaskMs };
  } finally {
    await browser.close();
  }
}

if (values.help) {
  console.log(
    '--minutes N: the length of the file (60). --formats m4a,wav: some only. Needs ffmpeg and a built page; in Linux.',
  );
} else {
  const folder = mkdtempSync(join(tmpdir(), 'diktera-files-'));
  const server = await startServer();
  try {
    for (const ending of values.formats.split(',')) {
      const path = longFile(folder, ending, Number(values.minutes));
      const told = await measure(server.url, path).catch((thrown: unknown) => `${thrown}`);
      console.log(ending, told);
      rmSync(path);
    }
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}
