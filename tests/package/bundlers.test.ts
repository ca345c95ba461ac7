import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, test } from 'vitest';
import { freePort } from '../drivers/processes.ts';
import { type RunningServer, startServer } from '../e2e/helpers/server.ts';
import { dictateOn } from './helpers/dictate.ts';
import { installExample } from './helpers/example.ts';
import { documentedPolicy, expectNoViolation, serveGuarded } from './helpers/policy.ts';
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
  await dictateGuarded(join(folder, 'dist'));
});

test('Next.js: a client component, rendered on a server first, takes dictation', async () => {
  const { folder, run } = await installExample('next');
  await run('next', 'build');
  await dictateOn(await serveSite(join(folder, 'out'), server.url));
});

test('Next.js: its own server, built and while one develops, takes dictation', async () => {
  const { folder, run, serve } = await installExample('next');
  await writeFile(
    join(folder, 'next.config.mjs'),
    `const destination = '${server.url}/api/:path*';
     export default { rewrites: async () => [{ source: '/api/:path*', destination }] };`,
  );
  await run('next', 'build');
  for (const command of ['start', 'dev']) {
    const port = await freePort();
    const url = `http://localhost:${port}/`;
    await serve(url, {}, 'next', command, '--port', String(port));
    await dictateOn(url);
  }
});

test('esbuild: what it builds takes dictation', async () => {
  const { folder, runNode } = await installExample('esbuild');
  await runNode('build.js');
  await dictateGuarded(join(folder, 'dist'));
});

test('Parcel: what it builds takes dictation', async () => {
  const { folder, run } = await installExample('parcel');
  await run('parcel', 'build', 'index.html', '--public-url', './');
  // No policy: it writes a script of its own into the page, an import map.
  await dictateOn(await serveSite(join(folder, 'dist'), server.url));
});

/** Under the rules of docs/embedding.md, and no others. */
async function dictateGuarded(folder: string): Promise<void> {
  const site = await serveGuarded(folder, server.url, await documentedPolicy());
  const { page } = await dictateOn(site.url);
  await expectNoViolation(page, site);
}
