import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';

/** Makes the server, its child processes and its threads: plain scripts in `folder`. */
export async function buildServer(folder: string): Promise<void> {
  await build({
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    build: {
      ssr: true,
      outDir: folder,
      target: 'node20',
      rolldownOptions: {
        input: {
          main: 'server/main.ts',
          'decode-child': 'server/audio/decode-child.ts',
          'engine-child': 'server/engine/engine-child.ts',
          'text-worker': 'server/text/text-worker.ts',
          'convert-worker': 'server/models/convert/convert-worker.ts',
        },
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  });
  cpSync('server/models/clips', join(folder, 'clips'), { recursive: true });
}
