import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { MODEL_FILE, MODEL_FILE_NAME, MODEL_PACKAGE_PATH } from '../src/core/speech/model-files.ts';

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

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Reads the model from its npm package; throws unless it is the file we know, byte for byte. */
export function readVerifiedModel(): Buffer {
  const path = join(ROOT, 'node_modules', MODEL_PACKAGE_PATH);
  const bytes = readFileSync(path);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (sha256 !== MODEL_FILE.sha256) {
    throw new Error(
      `${path} is not the model we know: sha256 ${sha256}, wanted ${MODEL_FILE.sha256}`,
    );
  }
  return bytes;
}

/** Puts the model where the page fetches it, before anything is served, built or tested. */
export function modelAssets(): Plugin {
  return {
    name: 'diktera:model-assets',
    config() {
      writeWhole(join(ROOT, 'public', 'models', MODEL_FILE_NAME), readVerifiedModel());
    },
  };
}
