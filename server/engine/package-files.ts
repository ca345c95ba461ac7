import { createHash } from 'node:crypto';
import { access, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';

/** A file as it must be, byte for byte. */
export type KnownFile = {
  /** Where it lies, for a message: a path inside `node_modules`. */
  readonly packagePath: string;
  readonly sha256: string;
};

/** A model file is missing or not the one we know; anybody may read the message, which names it. */
export class ModelFileError extends Error {
  override readonly name: string = 'ModelFileError';
}

/**
 * The absolute path of a file in an installed package. Walks the folders Node would search, because
 * such packages do not export their weights, and this module may run bundled.
 */
export async function locatePackageFile(packagePath: string): Promise<string> {
  const folders = createRequire(import.meta.url).resolve.paths(packagePath) ?? [];
  for (const folder of folders) {
    const candidate = join(folder, packagePath);
    if (await isThere(candidate)) return candidate;
  }
  throw new ModelFileError(`${packagePath} is missing; run npm ci`);
}

/**
 * Finds a file, beside the built server or in its package, and makes sure that it is the one we
 * know; else throws with both hashes.
 */
export async function locateKnownFile(file: KnownFile): Promise<string> {
  const beside = join(import.meta.dirname, 'models', basename(file.packagePath));
  const path = (await isThere(beside)) ? beside : await locatePackageFile(file.packagePath);
  requireHash(await readFile(path), file.sha256, file.packagePath);
  return path;
}

/** Throws unless `bytes` have the hash; `name` is for the message. */
export function requireHash(bytes: Uint8Array, sha256: string, name: string): void {
  const found = createHash('sha256').update(bytes).digest('hex');
  if (found === sha256) return;
  throw new ModelFileError(`${name} is not the file we know: sha256 ${found}, wanted ${sha256}`);
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
