import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Browser } from 'playwright';

/** Milliseconds of processor time so far, by process and thread: `renderer/AudioWorklet`. */
export type ProcessTimes = ReadonlyMap<string, number>;

/** Reads all of the browser's processes from Linux's /proc; null on other systems. */
export async function readProcessTimes(browser: Browser): Promise<ProcessTimes | null> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const times = new Map<string, number>();
  for (const { type, id } of processInfo) {
    const process = type === 'utility' ? utilityName(id) : type;
    for (const thread of threadsOf(id)) {
      const key = `${process}/${thread.name}`;
      times.set(key, (times.get(key) ?? 0) + thread.ms);
    }
  }
  return times.size === 0 ? null : times;
}

/** The time of each process between two readings; those that ended meanwhile are left out. */
export function timesBetween(before: ProcessTimes, after: ProcessTimes): ProcessTimes {
  return new Map([...after].map(([key, ms]) => [key, Math.max(0, ms - (before.get(key) ?? 0))]));
}

/** The time of each thread of a process, as the scheduler counts it; empty once it has ended. */
function threadsOf(pid: number): readonly { readonly name: string; readonly ms: number }[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
      const folder = `/proc/${pid}/task/${thread}`;
      try {
        const [runNs = '0'] = readFileSync(`${folder}/schedstat`, 'utf8').split(' ');
        const name = readFileSync(`${folder}/comm`, 'utf8').trim();
        return [{ name: thread === String(pid) ? 'main' : name, ms: Number(runNs) / 1e6 }];
      } catch {
        return [];
      }
    });
  } catch {
    return [];
  }
}

function utilityName(pid: number): string {
  try {
    const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return /--utility-sub-type=([a-z_]+)/.exec(line)?.[1] ?? 'utility';
  } catch {
    return 'utility';
  }
}

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

export function threadTimesBetween(before: ThreadTimes, after: ThreadTimes): ThreadTimes {
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

/** The private memory of all of the browser's processes, in MB: what is no file's, in memory or swapped out. */
export async function privateMegabytes(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return processInfo.reduce((sum, { id }) => sum + privateBytes(id) / 1e6, 0);
}

/** 0 of a process that is gone. */
function privateBytes(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const lines = status.matchAll(/^(?:RssAnon|VmSwap):\s+(\d+) kB$/gm);
    return [...lines].reduce((sum, [, kilobytes]) => sum + 1_024 * Number(kilobytes), 0);
  } catch {
    return 0;
  }
}
