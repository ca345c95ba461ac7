import { readFileSync } from 'node:fs';

/** What a program has of code at a stretch is far less, what V8 reserves far more. */
const LEAST_BYTES = 100 * 1024 * 1024;

/**
 * What V8 reserves for code in each of its threads, as far as the system counts it as memory the
 * process can write to: 0 up to Node 22, half a gigabyte from Node 24 on, of which next to nothing
 * is ever used. `maps` is Linux's table of this process's memory.
 */
export function codeRangeBytes(maps: string = ownMaps()): number {
  const reserved = [...maps.matchAll(/^([\da-f]+)-([\da-f]+) rwxp /gm)].map(
    ([, from = '', to = '']) => Number.parseInt(to, 16) - Number.parseInt(from, 16),
  );
  const most = Math.max(0, ...reserved);
  return most < LEAST_BYTES ? 0 : most;
}

function ownMaps(): string {
  try {
    return readFileSync('/proc/self/maps', 'utf8');
  } catch {
    return '';
  }
}
