import { rmSync } from 'node:fs';
import { build } from 'vite';
import { buildServer } from './build-server.ts';
import { compressFiles } from './compress-files.ts';
import { buildLibrary } from './library/build-library.ts';
import { serveLibrary } from './library/serve-library.ts';
import { prerender } from './prerender.ts';
import { checkSizeBudget } from './size-budget.ts';

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
  await buildLibrary();
  serveLibrary('dist/web');
  await compressFiles('dist/web');
  checkSizeBudget('dist/web');
  await buildServer('dist/server');
}
