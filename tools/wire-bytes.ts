import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A file and its size over the wire. */
export type WireFile = { readonly path: string; readonly bytes: number };

/** A file of a build, compressed where it is sent so. */
export function wireFile(webRoot: string, path: string): WireFile {
  const plain = join(webRoot, path);
  const compressed = `${plain}.br`;
  return { path, bytes: statSync(existsSync(compressed) ? compressed : plain).size };
}

export function sumOfWireBytes(files: readonly WireFile[]): number {
  return files.reduce((total, { bytes }) => total + bytes, 0);
}
