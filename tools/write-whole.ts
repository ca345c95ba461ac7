import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Other processes may be reading: the file is there whole or not at all, and untouched when it is
 * the same.
 */
export function writeWhole(path: string, bytes: Uint8Array): void {
  try {
    if (readFileSync(path).equals(bytes)) return;
  } catch {
    // Not there yet.
  }
  mkdirSync(dirname(path), { recursive: true });
  const half = `${path}.${process.pid}`;
  try {
    writeFileSync(half, bytes);
    renameSync(half, path);
  } finally {
    rmSync(half, { force: true });
  }
}
