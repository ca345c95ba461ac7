import { resolve } from 'node:path';
import { build } from 'vite';
import wasm from 'vite-plugin-wasm';
import { kernelAssets } from '../../../tools/build-kernel.ts';
import { modelAssets } from '../../../tools/model-assets.ts';

/** Where the page is built to. */
export const LIVE_PAGE_FOLDER = resolve('.cache/live-page');

/** Builds the page that dictates without an interface and keeps what was seen when. */
export async function buildLivePage(): Promise<void> {
  await build({
    configFile: false,
    root: resolve('tests/e2e/live'),
    publicDir: resolve('public'),
    logLevel: 'warn',
    plugins: [modelAssets(), kernelAssets(), wasm()],
    worker: { format: 'es', plugins: () => [wasm()] },
    build: {
      target: 'es2022',
      outDir: LIVE_PAGE_FOLDER,
      emptyOutDir: true,
      assetsInlineLimit: 0,
    },
  });
}
