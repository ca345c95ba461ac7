import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import wasm from 'vite-plugin-wasm';
import { kernelAssets } from './tools/build-kernel.ts';
import { modelAssets } from './tools/model-assets.ts';
import { inlineStyles } from './tools/page-html.ts';

/** Cross-origin isolation: needed for WASM threads. The production server sends the same. */
const ISOLATION_HEADERS = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

/** Hears for the page alone, and is needed before React. */
const HEARING =
  /src\/(client\/(?!storage-keeper)|capture\/)|create-dictation|page\/open-dictation|core\/(session\/(?!spoken|snapshot\.|sample-ledger|dictations)|queue|blank-text|logger|contracts\/database|audio\/frame-protocol)/;

/**
 * The scripts that others share. Left to itself each set of scripts that has something in common
 * gets a file for that, most of them smaller than their request, and the first one waits for React.
 */
const SCRIPTS = [
  // Icons are drawn by it, and a file of their own would be smaller than its request.
  {
    name: 'react',
    test: /node_modules\/(react|react-dom|scheduler)\/|lucide-react\/dist\/esm\/(?!icons)|icons\/copy|field\/copy-text/,
  },
  { name: 'dictation', test: HEARING },
  {
    name: 'worker-link',
    test: /vite\/preload-helper|comlink\/|src\/platform\/(?!build|stored-rules|opened-files|file-sound)|core\/(options\/|assert-never|async|errors|heartbeat|session\/(snapshot\.|sample-ledger)|speech\/vad-options|audio\/audio-format|recordings\/(recording|keeping)\.)|src\/assets\/|model-files|url$/,
  },
  {
    name: 'interface',
    test: /widget\/(strings|hooks)|icons\/(undo|loader-circle|trash|play|chevron-down|check|mic|pause|square)/,
  },
];

export default defineConfig({
  // Relative, so that the pages work below any path that a proxy serves them under.
  base: './',
  plugins: [modelAssets(), kernelAssets(), wasm(), react(), inlineStyles('index.html')],
  worker: {
    format: 'es',
    plugins: () => [wasm()],
    // A script fetched later must not import the worker's own file: WebKit would run that twice.
    rolldownOptions: {
      output: {
        codeSplitting: { groups: [{ name: 'worker-core', test: /core\/(async|errors)\.ts$/ }] },
      },
    },
  },
  // Found only when the first microphone opens, they would make the dev server reload the page.
  optimizeDeps: {
    include: ['comlink', 'fflate', 'idb-keyval', 'libopus-wasm', 'mediabunny'],
    exclude: ['@echogarden/speex-resampler-wasm', 'onnxruntime-web'],
  },
  server: { headers: ISOLATION_HEADERS },
  build: {
    target: 'es2022',
    outDir: 'dist/web',
    assetsInlineLimit: 0,
    // The pages name their scripts and all styles themselves, and what comes later shares those:
    // lists of both would be nothing but names in the page's script.
    modulePreload: {
      resolveDependencies: (_, names, { hostType }) => (hostType === 'js' ? [] : names),
    },
    rolldownOptions: {
      input: { index: 'index.html', benchmark: 'benchmark.html' },
      output: { codeSplitting: { includeDependenciesRecursively: false, groups: SCRIPTS } },
    },
  },
});
