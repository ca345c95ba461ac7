import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, test } from 'vitest';
import { type RunningServer, startServer } from '../e2e/helpers/server.ts';
import { dictateOn } from './helpers/dictate.ts';
import { installExample } from './helpers/example.ts';
import { serveSite } from './helpers/static-site.ts';

let server: RunningServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

test('webpack: what it builds takes dictation', async () => {
  const { folder, run } = await installExample('webpack');
  await run('webpack');
  await cp(join(folder, 'index.html'), join(folder, 'dist', 'index.html'));
  await dictateOn(await serveSite(join(folder, 'dist'), server.url));
});

test('Next.js: a client component, rendered on a server first, takes dictation', async () => {
  const { folder, run } = await installExample('next');
  await run('next', 'build');
  await dictateOn(await serveSite(join(folder, 'out'), server.url));
});

test('esbuild: what it builds takes dictation', async () => {
  const { folder, runNode } = await installExample('esbuild');
  await runNode('build.js');
  await dictateOn(await serveSite(join(folder, 'dist'), server.url));
});
