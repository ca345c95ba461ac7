import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import type { RolldownOutput } from 'rolldown';
import { buildKernels } from '../build-kernel.ts';
import { readVerifiedModel } from '../model-assets.ts';
import { withImports } from '../size-budget.ts';
import { buildScripts, buildThreads } from './build-scripts.ts';
import { LIBRARY, ROOT, writeLicences, writeTypes } from './package-parts.ts';
import { libraryStyles } from './styles.ts';

/**
 * Script on the main thread without React, brotli, and the worker that a browser without a codec
 * fetches for libopus; a little above what they are now.
 */
const BUDGET_BYTES: Readonly<Record<string, number>> = {
  'index.js': 19_600,
  'attach.js': 60_400,
  'react.js': 66_900,
  'assets/opus-worker.js': 212_000,
};

/** The bytes over the wire that an entry of the library brings to the page at once. */
export function entryBytes(entry: string): number {
  return withImports(LIBRARY, [entry]).reduce((sum, file) => sum + wireBytes(file), 0);
}

/** Prints the sizes and throws when a budget is exceeded. */
function checkLibrarySize(): void {
  console.log('The library, bytes over the wire (brotli), React apart:');
  for (const [entry, budget] of Object.entries(BUDGET_BYTES)) {
    const bytes = entryBytes(entry);
    console.log(`${String(bytes).padStart(9)}  of ${budget}  ${entry}`);
    if (bytes > budget)
      throw new Error(`${entry} exceeds its budget (tools/library/build-library.ts)`);
  }
}

function wireBytes(file: string): number {
  return brotliCompressSync(readFileSync(join(LIBRARY, file))).length;
}

const KERNELS = ['silero-v6', 'silero-v6-fused'];
const RESAMPLER = 'node_modules/@echogarden/speex-resampler-wasm/wasm/speex-resampler-simd.wasm';

/** Makes `dist/lib`, the package `diktera`; src/assets/library-addresses.ts knows the names. */
export async function buildLibrary(): Promise<void> {
  rmSync(LIBRARY, { recursive: true, force: true });
  const threads = await writeAssets(join(LIBRARY, 'assets'), true);
  writeFileSync(join(LIBRARY, 'assets', 'silero-v6.onnx'), readVerifiedModel());
  writeFileSync(join(LIBRARY, 'styles.css'), libraryStyles());
  writeLicences([...(await buildScripts()), ...threads]);
  await writeTypes();
  checkLibrarySize();
}

/** Puts into a folder what is fetched at run time, but for the model of onnxruntime-web. */
export async function writeAssets(
  folder: string,
  isPackage = false,
): Promise<readonly RolldownOutput[]> {
  mkdirSync(folder, { recursive: true });
  await buildKernels();
  for (const name of KERNELS) {
    copyFileSync(join(ROOT, 'workers/audio/built', `${name}.wasm`), join(folder, `${name}.wasm`));
  }
  copyFileSync(join(ROOT, RESAMPLER), join(folder, 'resampler.wasm'));
  return buildThreads(folder, isPackage);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildLibrary();

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
