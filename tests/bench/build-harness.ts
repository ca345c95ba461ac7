import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'vite';
import wasm from 'vite-plugin-wasm';
import { compressFiles, sourceHash } from '../../tools/build-all.ts';
import { kernelAssets } from '../../tools/build-kernel.ts';
import { modelAssets } from '../../tools/model-assets.ts';

/** Beside the product, never in it. */
const FOLDER = resolve('.cache/bench-web');
const ROOT = resolve('tests/bench/harness');
const PAGES = ['index.html', 'bare.html', 'empty.html', 'live-peer.html', 'startup.html'];

/** Files that the peer fetches at run time, from its package and onnxruntime's. */
const VAD_WEB_FILES = [
  '@ricky0123/vad-web/dist/silero_vad_v6.onnx',
  '@ricky0123/vad-web/dist/vad.worklet.bundle.min.js',
  'onnxruntime-web/dist/ort-wasm-simd-threaded.mjs',
  'onnxruntime-web/dist/ort-wasm-simd-threaded.wasm',
  'onnxruntime-web/dist/ort-wasm-simd-threaded.jsep.mjs',
  'onnxruntime-web/dist/ort-wasm-simd-threaded.jsep.wasm',
];

/** Builds the side-by-side pages for production, compressed as served; gives the folder. */
export async function buildHarness(): Promise<string> {
  const stamp = join(FOLDER, 'stamp.txt');
  const wanted = [
    sourceHash(),
    ...readdirSync(ROOT).map((name) => readFileSync(join(ROOT, name))),
  ].join();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return FOLDER;
  rmSync(FOLDER, { recursive: true, force: true });
  await build({
    configFile: false,
    logLevel: 'error',
    root: ROOT,
    publicDir: resolve('public'),
    plugins: [modelAssets(), kernelAssets(), wasm()],
    // The product's own root is one above.
    resolve: { alias: { '/node_modules': resolve('node_modules') } },
    worker: { format: 'es', plugins: () => [wasm()] },
    build: {
      target: 'es2022',
      outDir: FOLDER,
      assetsInlineLimit: 0,
      rolldownOptions: { input: PAGES.map((name) => join(ROOT, name)) },
    },
  });
  mkdirSync(join(FOLDER, 'vad-web'));
  for (const file of VAD_WEB_FILES) {
    const name = file.slice(file.lastIndexOf('/') + 1);
    copyFileSync(join('node_modules', file), join(FOLDER, 'vad-web', name));
  }
  await compressFiles(FOLDER);
  writeFileSync(stamp, wanted);
  return FOLDER;
}
