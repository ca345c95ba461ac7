import { rmSync } from 'node:fs';
import { build } from 'vite';
import { compressFiles } from './compress-files.ts';

/** Makes `dist/web` (the pages, compressed too) and `dist/server` (the server as one script). */
export async function buildAll(): Promise<void> {
  rmSync('dist', { recursive: true, force: true });
  await build({ logLevel: 'warn' });
  rmSync('dist/web/README.md'); // It is about public/, for those who build.
  await compressFiles('dist/web');
  await build({
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    build: {
      ssr: 'server/main.ts',
      outDir: 'dist/server',
      target: 'node20',
      rolldownOptions: { output: { entryFileNames: 'main.js' } },
    },
  });
}
