import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { freePort, type RunningServer, startServer } from '../e2e/helpers/server.ts';
import { dictateOn } from './helpers/dictate.ts';
import { installExample } from './helpers/example.ts';
import { SUB_PATH, serveSite } from './helpers/static-site.ts';

let server: RunningServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

test('Vite: what it builds, and what it serves while one develops, take dictation', async () => {
  const { folder, run } = await installExample('vite');
  await run('vite', 'build', '--base', './');
  await dictateOn(await serveSite(join(folder, 'dist'), server.url));

  const port = await freePort();
  const vite = join(folder, 'node_modules', '.bin', 'vite');
  const args = ['--port', String(port), '--host', '127.0.0.1', '--base', SUB_PATH];
  const dev = spawn(vite, args, { cwd: folder, env: { ...process.env, API: server.url } });
  onTestFinished(() => void dev.kill());
  const url = `http://127.0.0.1:${port}${SUB_PATH}`;
  await expect
    .poll(
      () =>
        fetch(url).then(
          ({ ok }) => ok,
          () => false,
        ),
      { timeout: 30_000 },
    )
    .toBe(true);
  await dictateOn(url);
});
