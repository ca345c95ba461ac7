import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Browser } from 'playwright';

/** CPU time of a page's process so far, in milliseconds. */
export type ThreadTimes = {
  /** The thread with the page's scripts. */
  readonly mainMs: number;
  /** All web workers. */
  readonly workerMs: number;
  /** Everything in the process, audio worklets and the browser's helpers too. */
  readonly totalMs: number;
};

/**
 * Reads the busiest renderer's threads from Linux's /proc: the page's, in a browser with one page.
 * Null on other systems.
 */
export async function readThreadTimes(browser: Browser): Promise<ThreadTimes | null> {
  if (!existsSync('/proc/self/task')) return null;
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const renderers = processInfo
    .filter(({ type, id }) => type === 'renderer' && !isBrowsersOwn(id))
    .toSorted((a, b) => b.cpuTime - a.cpuTime);
  const pid = renderers[0]?.id;
  if (pid === undefined) return null;
  const times = { mainMs: 0, workerMs: 0, totalMs: 0 };
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const ms = threadMs(`/proc/${pid}/task/${thread}`);
    times.totalMs += ms.ms;
    if (thread === String(pid)) times.mainMs += ms.ms;
    else if (ms.name.startsWith('DedicatedWorker')) times.workerMs += ms.ms;
  }
  return times;
}

/** What was used between two readings. */
export function timesBetween(before: ThreadTimes, after: ThreadTimes): ThreadTimes {
  return {
    mainMs: after.mainMs - before.mainMs,
    workerMs: after.workerMs - before.workerMs,
    totalMs: after.totalMs - before.totalMs,
  };
}

/** The scheduler's own count, in ns; a thread that has just ended has used nothing more. */
function threadMs(folder: string): { readonly name: string; readonly ms: number } {
  try {
    const [runNs = '0'] = readFileSync(`${folder}/schedstat`, 'utf8').split(' ');
    return { name: readFileSync(`${folder}/comm`, 'utf8'), ms: Number(runNs) / 1e6 };
  } catch {
    return { name: '', ms: 0 };
  }
}

/** Newer Chromiums draw their own window in a renderer, too. */
function isBrowsersOwn(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--top-chrome-webui');
  } catch {
    return true;
  }
}
