import { cpSync } from 'node:fs';
import { build } from 'esbuild';

await build({
  entryPoints: ['main.js'],
  bundle: true,
  minify: true,
  format: 'esm',
  outdir: 'dist',
});
// esbuild leaves `new URL('./assets/...', import.meta.url)` as it is: the files go beside its
// script.
cpSync('node_modules/diktera/dist/lib/assets', 'dist/assets', { recursive: true });
cpSync('index.html', 'dist/index.html');
