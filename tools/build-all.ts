import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { buildServer } from './build-server.ts';
import { compressFiles } from './compress-files.ts';
import { delayScripts } from './delay-scripts.ts';
import { buildLibrary } from './library/build-library.ts';
import { serveLibrary } from './library/serve-library.ts';
import { prerender } from './prerender.ts';
import { checkKeptBudget, makeServiceWorker } from './service-worker.ts';
import { checkSizeBudget } from './size-budget.ts';
import { checkWorkerFiles } from './worker-files.ts';

/**
 * Makes `dist/lib` (the package for those who embed), `dist/web` (the pages, compressed too, with
 * the library for pages elsewhere) and `dist/server` (the server, its child processes and its
 * thread).
 */
export async function buildAll(): Promise<void> {
  // A test runner has named its own, and libraries would be built as for development.
  process.env.NODE_ENV = 'production';
  rmSync('dist', { recursive: true, force: true });
  await build({ logLevel: 'warn' });
  rmSync('dist/web/README.md'); // It is about public/, for those who build.
  await prerender('dist/web');
  delayScripts('dist/web');
  await makeServiceWorker('dist/web');
  await buildLibrary();
  serveLibrary('dist/web');
  await compressFiles('dist/web');
  checkSizeBudget('dist/web');
  checkWorkerFiles('dist/web');
  checkKeptBudget('dist/web');
  await buildServer('dist/server');
  copyEnglishModel();
}

/**
 * The server's English model comes with its build: only its files are needed of its package, which
 * would bring an engine for browsers and one for graphics cards to whoever installs the server.
 */
function copyEnglishModel(): void {
  const from = 'node_modules/@moonshine-ai/moonshine-js';
  const to = 'dist/server/models';
  cpSync(join(from, 'dist/model/tiny/quantized'), to, { recursive: true });
  cpSync(join(from, 'LICENSE'), join(to, 'LICENSE'));
}
