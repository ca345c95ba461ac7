import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { ModelFile } from './known-model.ts';

/** Feeds a file from `startByte` into `hash`, in pieces. */
export async function hashInto(hash: Hash, path: string, startByte = 0): Promise<void> {
  for await (const piece of createReadStream(path, { start: startByte, highWaterMark: 1 << 20 })) {
    hash.update(piece as Buffer);
  }
}

/** The SHA-256 of a file. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await hashInto(hash, path);
  return hash.digest('hex');
}

/** What is wrong with a file, null for nothing; reads all of it. */
export async function findFault(path: string, file: ModelFile): Promise<string | null> {
  const found = await hashFile(path).catch((error: unknown) => codeOf(error));
  if (found === 'ENOENT') return `${file.name} is missing`;
  return found === file.sha256 ? null : `${file.name} is not the file we know`;
}

/** The system's code of an error, such as `ENOENT`; '' when it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
