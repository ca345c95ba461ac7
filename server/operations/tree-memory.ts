import { readdirSync, readFileSync } from 'node:fs';

/**
 * The memory of this process and of all it has started, in bytes: of this one all that is resident,
 * of the others what they alone have written, since the 50 MB of the program's files are there
 * once. Where there is no `/proc`, this process alone.
 */
export function treeMemoryBytes(): number {
  const children = childrenOf('self').reduce((sum, id) => sum + ownBytesOf(id), 0);
  return process.memoryUsage.rss() + children;
}

/** The whole tree below `id`, as Linux knows it: a child belongs to the thread that started it. */
function childrenOf(id: number | 'self'): readonly number[] {
  const ids = threadsOf(id).flatMap((thread) =>
    read(`/proc/${id}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  );
  return [...ids, ...ids.flatMap(childrenOf)];
}

function threadsOf(id: number | 'self'): readonly string[] {
  try {
    return readdirSync(`/proc/${id}/task`);
  } catch {
    return [];
  }
}

function ownBytesOf(id: number): number {
  const found = read(`/proc/${id}/status`).matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB/gm);
  return [...found].reduce((sum, [, kib]) => sum + 1_024 * Number(kib), 0);
}

/** Empty when the process has ended meanwhile. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
