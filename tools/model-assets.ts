import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { MODEL_FILES, type ModelFile } from '../src/core/speech/model-files.ts';
import { writeWhole } from './write-whole.ts';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Reads a model from its npm package; throws unless it is the file we know, byte for byte. */
export function readVerifiedModel(file: ModelFile): Buffer {
  const path = join(ROOT, 'node_modules', file.packagePath);
  const bytes = readFileSync(path);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (sha256 !== file.sha256) {
    throw new Error(`${path} is not the model we know: sha256 ${sha256}, wanted ${file.sha256}`);
  }
  return bytes;
}

/** Puts the models where the page fetches them, before anything is served, built or tested. */
export function modelAssets(): Plugin {
  return {
    name: 'diktera:model-assets',
    config() {
      const folder = join(ROOT, 'public', 'models');
      for (const file of Object.values(MODEL_FILES)) {
        writeWhole(join(folder, file.fileName), readVerifiedModel(file));
      }
    },
  };
}
