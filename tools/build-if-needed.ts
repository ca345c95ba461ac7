import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildAll } from './build-all.ts';
import { say } from './run.ts';
import { sourceHash } from './source-hash.ts';

const STAMP_PATH = 'dist/source-hash.txt';

/** Builds for production unless what stands in `dist` was made from these very sources. */
export async function buildIfNeeded(): Promise<void> {
  const wanted = sourceHash();
  if (existsSync(STAMP_PATH) && readFileSync(STAMP_PATH, 'utf8') === wanted) {
    say('The build is up to date');
    return;
  }
  await buildAnew();
}

/** Builds for production, and notes from which sources. */
export async function buildAnew(): Promise<void> {
  const wanted = sourceHash();
  say('Building');
  await buildAll();
  writeFileSync(STAMP_PATH, wanted);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildIfNeeded();
