import { readdirSync, readFileSync } from 'node:fs';

const LOOK_EVERY_MS = 500;
const TICKS_PER_SECOND = 100;

type Look = { readonly parent: number; readonly seconds: number };

/**
 * Counts the processor time of a process and all below it, those included that are killed and that
 * nobody waits for; what lives for less than a look is missed. Call the result at the end: seconds,
 * null where there is no /proc.
 */
export function watchProcessorTime(pid: number): () => number | null {
  const family = new Set([pid]);
  const seconds = new Map<number, number>();
  const look = (): void => {
    const all = lookAtAll();
    const isBelow = (id: number): boolean => {
      const parent = all.get(id)?.parent;
      return family.has(id) || (parent !== undefined && parent > 1 && isBelow(parent));
    };
    for (const [id, each] of all) {
      if (!isBelow(id)) continue;
      // Known from now on, whoever it is given to when its parent ends.
      family.add(id);
      seconds.set(id, each.seconds);
    }
  };
  look();
  const timer = setInterval(look, LOOK_EVERY_MS);
  return () => {
    clearInterval(timer);
    const sum = [...seconds.values()].reduce((total, each) => total + each, 0);
    return seconds.size === 0 ? null : sum;
  };
}

/** Every process there is: its parent, and its own processor time so far. */
function lookAtAll(): ReadonlyMap<number, Look> {
  const all = new Map<number, Look>();
  for (const name of namesIn('/proc')) {
    const id = Number(name);
    if (!(id > 0)) continue;
    const [, parent, ...fields] = textOf(`/proc/${id}/stat`).split(') ').at(-1)?.split(' ') ?? [];
    if (parent === undefined) continue;
    const ticks = Number(fields[9]) + Number(fields[10]);
    all.set(id, { parent: Number(parent), seconds: ticks / TICKS_PER_SECOND });
  }
  return all;
}

/** Empty where there is no such folder. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Empty when the process has ended meanwhile. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
