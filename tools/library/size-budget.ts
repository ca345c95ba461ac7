import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { withImports } from '../size-budget.ts';
import { LIBRARY } from './paths.ts';

/**
 * Script on the main thread without React, brotli, and the worker that a browser without a codec
 * fetches for libopus; a little above what they are now.
 */
const BUDGET_BYTES: Readonly<Record<string, number>> = {
  'index.js': 17_900,
  'attach.js': 58_200,
  'react.js': 63_200,
  'assets/opus-worker.js': 212_000,
};

/** What an entry, a file of the library, brings to the page at once, in bytes over the wire. */
export function entryBytes(entry: string): number {
  return withImports(LIBRARY, [entry]).reduce((sum, file) => sum + wireBytes(file), 0);
}

/** Prints the sizes and throws when a budget is exceeded. */
export function checkLibrarySize(): void {
  console.log('The library, bytes over the wire (brotli), React apart:');
  for (const [entry, budget] of Object.entries(BUDGET_BYTES)) {
    const bytes = entryBytes(entry);
    console.log(`${String(bytes).padStart(9)}  of ${budget}  ${entry}`);
    if (bytes > budget)
      throw new Error(`${entry} exceeds its budget (tools/library/size-budget.ts)`);
  }
}

function wireBytes(file: string): number {
  return brotliCompressSync(readFileSync(join(LIBRARY, file))).length;
}
