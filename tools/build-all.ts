import { rmSync } from 'node:fs';
import { build } from 'vite';
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
  await build({
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    build: {
      ssr: true,
      outDir: 'dist/server',
      target: 'node20',
      rolldownOptions: {
        input: {
          main: 'server/main.ts',
          'decode-child': 'server/audio/decode-child.ts',
          'engine-child': 'server/engine/engine-child.ts',
          'text-worker': 'server/text/text-worker.ts',
        },
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  });
}
