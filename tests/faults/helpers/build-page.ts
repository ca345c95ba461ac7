import { resolve } from 'node:path';
import { build } from 'vite';
import wasm from 'vite-plugin-wasm';
import { kernelAssets } from '../../../tools/build-kernel.ts';
import { modelAssets } from '../../../tools/model-assets.ts';

/** Where the bench page's build is put. */
export const PAGE_FOLDER = resolve('.cache/fault-page');

/**
 * Builds the bench page for production: the real bridge and worker, and a microphone that is fed.
 * Vitest calls it once, before all fault tests.
 */
export async function setup(): Promise<void> {
  await build({
    configFile: false,
    root: resolve('tests/faults/page'),
    publicDir: resolve('public'),
    logLevel: 'warn',
    plugins: [modelAssets(), kernelAssets(), wasm()],
    worker: { format: 'es', plugins: () => [wasm()] },
    build: { target: 'es2022', outDir: PAGE_FOLDER, emptyOutDir: true, assetsInlineLimit: 0 },
  });
}
