import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright';

const MB = 1_000_000;

/** The private memory of all processes and of each kind, in MB. */
export async function memoryByProcess(browser: Browser): Promise<Record<string, number>> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const sizes: Record<string, number> = { all: 0 };
  for (const { type, id } of processInfo) {
    const megabytes = privateBytes(id) / MB;
    sizes[type] = Number(((sizes[type] ?? 0) + megabytes).toFixed(1));
    sizes.all = Number(((sizes.all ?? 0) + megabytes).toFixed(1));
  }
  return sizes;
}

/** Of a process, as Chromium reckons it: what is no file's, in memory or swapped out. 0 of one that is gone. */
function privateBytes(pid: number): number {
  try {
    const lines = readFileSync(`/proc/${pid}/status`, 'utf8').matchAll(
      /^(?:RssAnon|VmSwap):\s+(\d+) kB$/gm,
    );
    return [...lines].reduce((sum, [, kilobytes]) => sum + 1_024 * Number(kilobytes), 0);
  } catch {
    return 0;
  }
}
