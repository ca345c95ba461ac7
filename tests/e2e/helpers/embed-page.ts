import { resolve } from 'node:path';
import { build } from 'vite';
import wasm from 'vite-plugin-wasm';
import { kernelAssets } from '../../../tools/build-kernel.ts';
import { modelAssets } from '../../../tools/model-assets.ts';

/** Builds pages of somebody else's, with one line of ours, for production; answers with where. */
export async function buildEmbedPage(name: string): Promise<string> {
  const folder = resolve('.cache', name);
  const root = resolve('tests/e2e/embed');
  await build({
    configFile: false,
    root,
    publicDir: resolve('public'),
    logLevel: 'warn',
    plugins: [modelAssets(), kernelAssets(), wasm()],
    worker: { format: 'es', plugins: () => [wasm()] },
    build: {
      target: 'es2022',
      outDir: folder,
      emptyOutDir: true,
      assetsInlineLimit: 0,
      rolldownOptions: { input: { index: `${root}/index.html`, framed: `${root}/framed.html` } },
    },
  });
  return folder;
}
