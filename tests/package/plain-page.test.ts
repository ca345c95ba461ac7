import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { libraryVersion } from '../../tools/library/serve-library.ts';
import { freePort } from '../../tools/testing/free-port.ts';
import { type RunningServer, startServer } from '../e2e/helpers/server.ts';
import { dictateOn } from './helpers/dictate.ts';
import { installExample } from './helpers/example.ts';
import { documentedPolicy, expectNoViolation, serveGuarded } from './helpers/policy.ts';

const SERVER = 'https://dikt.example.se';

let server: RunningServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

test('a page elsewhere, with one script of our server: everything comes from there', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'diktera-plain-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const port = await freePort();
  const policy = await documentedPolicy(`http://127.0.0.1:${port}`);
  const site = await serveGuarded(folder, null, policy);
  const open = await startServer(port, { ALLOWED_ORIGINS: new URL(site.url).origin });
  onTestFinished(() => open.stop());
  const page = await readFile('examples/plain/index.html', 'utf8');
  expect(page).toContain(SERVER);
  await writeFile(join(folder, 'index.html'), page.replaceAll(SERVER, open.url));
  const { page: opened, fetched } = await dictateOn(site.url);
  await expectNoViolation(opened, site);
  const version = `${open.url}/lib/${libraryVersion()}/`;
  for (const name of ['diktera.js', 'assets/worker.js', 'assets/worklet.js']) {
    expect(fetched).toContain(version + name);
  }
});

test('a page with the package beside it, from any static server', async () => {
  const { folder } = await installExample('plain');
  const page = await readFile(join(folder, 'index.html'), 'utf8');
  const beside = page.replace(
    `src="${SERVER}/lib/v1/diktera.js"`,
    'src="./node_modules/diktera/dist/lib/diktera.js" data-diktera-url="/api/asr/vad"',
  );
  await writeFile(join(folder, 'index.html'), beside);
  const site = await serveGuarded(folder, server.url, await documentedPolicy());
  const { page: opened } = await dictateOn(site.url);
  await expectNoViolation(opened, site);
});
