import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildKernels } from '../build-kernel.ts';
import { readVerifiedModel } from '../model-assets.ts';
import { buildScripts } from './build-scripts.ts';
import { libraryStyles } from './library-styles.ts';
import { writeLicences } from './licences.ts';
import { LIBRARY, ROOT } from './paths.ts';
import { checkLibrarySize } from './size-budget.ts';
import { writeTypes } from './types.ts';

const KERNELS = ['silero-v6', 'silero-v6-fused'];
const RESAMPLER = 'node_modules/@echogarden/speex-resampler-wasm/wasm/speex-resampler-simd.wasm';

/** Makes `dist/lib`, the package `diktera`; src/assets/library-addresses.ts knows the names. */
export async function buildLibrary(): Promise<void> {
  rmSync(LIBRARY, { recursive: true, force: true });
  const assets = join(LIBRARY, 'assets');
  mkdirSync(assets, { recursive: true });
  await buildKernels();
  for (const name of KERNELS) {
    copyFileSync(join(ROOT, 'workers/audio/built', `${name}.wasm`), join(assets, `${name}.wasm`));
  }
  copyFileSync(join(ROOT, RESAMPLER), join(assets, 'resampler.wasm'));
  writeFileSync(join(assets, 'silero-v6.onnx'), readVerifiedModel());
  writeFileSync(join(LIBRARY, 'styles.css'), libraryStyles());
  writeLicences(await buildScripts());
  await writeTypes();
  checkLibrarySize();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildLibrary();
