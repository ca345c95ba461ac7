import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { MODEL_FILE, MODEL_FILE_NAME, MODEL_PACKAGE_PATH } from '../src/core/speech/model-files.ts';
import { writeWhole } from './write-whole.ts';

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
