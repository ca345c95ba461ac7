import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright';

const MB = 1_000_000;

/** Memory that no other process shares, in MB, of all processes and of each kind. */
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

/** 0 of a process that is gone. */
function privateBytes(pid: number): number {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    const lines = rollup.matchAll(/^Private_(?:Clean|Dirty):\s+(\d+) kB$/gm);
    return [...lines].reduce((sum, [, kilobytes]) => sum + 1_024 * Number(kilobytes), 0);
  } catch {
    return 0;
  }
}
