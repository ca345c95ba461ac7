import { readdirSync, readFileSync } from 'node:fs';
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

/** What each used between two readings; what has ended meanwhile is left out. */
export function timesBetween(before: ProcessTimes, after: ProcessTimes): ProcessTimes {
  return new Map([...after].map(([key, ms]) => [key, Math.max(0, ms - (before.get(key) ?? 0))]));
}

/** What each thread of a process has used, by the scheduler's own count; empty when it has ended. */
export function threadsOf(pid: number): readonly { readonly name: string; readonly ms: number }[] {
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
