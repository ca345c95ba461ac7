import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { libraryVersion } from '../../tools/library/serve-library.ts';
import { freePort, type RunningServer, startServer } from '../e2e/helpers/server.ts';
import { dictateOn } from './helpers/dictate.ts';
import { installExample } from './helpers/example.ts';
import { serveSite } from './helpers/static-site.ts';

const SERVER = 'https://dikt.example.se';

let server: RunningServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

test('a page elsewhere, with one script of our server: everything comes from there', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'diktera-plain-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const url = await serveSite(folder, null);
  const port = await freePort();
  const open = await startServer(port, { ALLOWED_ORIGINS: new URL(url).origin });
  onTestFinished(() => open.stop());
  const page = await readFile('examples/plain/index.html', 'utf8');
  expect(page).toContain(SERVER);
  await writeFile(join(folder, 'index.html'), page.replaceAll(SERVER, open.url));
  const { fetched } = await dictateOn(url);
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
  await dictateOn(await serveSite(folder, server.url));
});
