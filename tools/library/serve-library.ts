import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LIBRARY, ROOT } from './paths.ts';

/** The version of the package. */
export function libraryVersion(): string {
  const about = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  return about.version;
}

/**
 * Puts the library where our server serves it to pages without a bundler: below `/lib/VERSION/`,
 * whose content never changes.
 */
export function serveLibrary(webRoot: string): void {
  cpSync(LIBRARY, join(webRoot, 'lib', libraryVersion()), {
    recursive: true,
    filter: (path) => !/\.map$|\/types$/.test(path),
  });
}
