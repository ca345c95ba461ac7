import { join } from 'node:path';
import { afterAll, beforeAll, test } from 'vitest';
import { freePort } from '../drivers/processes.ts';
import { type RunningServer, startServer } from '../e2e/helpers/server.ts';
import { dictateOn } from './helpers/dictate.ts';
import { installExample } from './helpers/example.ts';
import { documentedPolicy, expectNoViolation, serveGuarded } from './helpers/policy.ts';
import { SUB_PATH } from './helpers/static-site.ts';

let server: RunningServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

test('Vite: what it builds, and what it serves while one develops, take dictation', async () => {
  const { folder, run, serve } = await installExample('vite');
  await run('vite', 'build', '--base', './');
  const site = await serveGuarded(join(folder, 'dist'), server.url, await documentedPolicy());
  const { page } = await dictateOn(site.url);
  await expectNoViolation(page, site);

  const port = await freePort();
  const url = `http://127.0.0.1:${port}${SUB_PATH}`;
  const args = ['--port', String(port), '--host', '127.0.0.1', '--base', SUB_PATH];
  await serve(url, { API: server.url }, 'vite', ...args);
  await dictateOn(url);
});
