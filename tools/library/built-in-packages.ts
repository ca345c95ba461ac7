import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MODEL_PACKAGE_PATH } from '../../src/core/speech/model-files.ts';
import { ROOT } from './paths.ts';

/** What the pages and the library are built of. */
const SOURCES = ['src', 'workers', 'worklets'];

const IMPORT = /(?:from|import)\s*\(?\s*'((?:@[\w.-]+\/)?[\w-][\w.-]*)[/']/g;

/** The packages that the pages and the library import: their code is in what is built. */
export function importedPackages(): ReadonlySet<string> {
  const names = SOURCES.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:tsx?|css)$/.test(name))
      .flatMap((name) => {
        const text = readFileSync(join(ROOT, folder, name), 'utf8');
        return [...text.matchAll(IMPORT)].map(([, imported = '']) => imported);
      }),
  );
  return new Set(names);
}

/** The packages whose weights are in what is built for the pages and the library. */
export function modelPackages(): readonly string[] {
  return [MODEL_PACKAGE_PATH.split('/').slice(0, 2).join('/')];
}
