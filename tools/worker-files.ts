import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const IMPORTED_WORKER = /\b(?:from|import)\s*\(?\s*["'`]\.\/([\w-]+\.worker-[^"'`]+)["'`]/;

/**
 * Throws when a script imports a worker's own file. WebKit runs that again then: two workers in one
 * would hear each message, and the one that knows of nothing answers first.
 */
export function checkWorkerFiles(webRoot: string): void {
  const folder = join(webRoot, 'assets');
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.js'))) {
    const [, worker] = IMPORTED_WORKER.exec(readFileSync(join(folder, name), 'utf8')) ?? [];
    if (worker) throw new Error(`${name} imports ${worker}, which WebKit would run twice`);
  }
}
