import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { libraryVersion } from '../../tools/library/build-library.ts';
import { freePort } from '../drivers/processes.ts';
import { startSoundServer } from '../drivers/sound-server.ts';
import { dictateIntoNote } from '../e2e/helpers/dictation-page.ts';
import { type RunningServer, startServer } from '../e2e/helpers/server.ts';
import { canSpeakToFirefox, openFirefox, speakInRoom } from '../e2e/helpers/speaking-firefox.ts';
import { dictateOn, expectSpoken } from './helpers/dictate.ts';
import { installExample } from './helpers/example.ts';
import { documentedPolicy, expectNoViolation, serveGuarded } from './helpers/policy.ts';

const SERVER = 'https://dikt.example.se';

let server: RunningServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

/** A page elsewhere, with one script of our server, which lets it. */
async function servePageElsewhere() {
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
  return { site, open };
}

test('a page elsewhere, with one script of our server: everything comes from there', async () => {
  const { site, open } = await servePageElsewhere();
  const { page: opened, fetched } = await dictateOn(site.url);
  await expectNoViolation(opened, site);
  const version = `${open.url}/lib/${libraryVersion()}/`;
  for (const name of ['diktera.js', 'assets/worker.js', 'assets/worklet.js']) {
    expect(fetched).toContain(version + name);
  }
});

test.skipIf(!canSpeakToFirefox)(
  'a page elsewhere, in Firefox (left out without one, or without PulseAudio)',
  async () => {
    onTestFinished((await startSoundServer()) ?? (() => {}));
    const { site } = await servePageElsewhere();
    const { page, errors } = await openFirefox();
    await page.goto(site.url);
    expectSpoken(await dictateIntoNote(page, () => speakInRoom('dictation-two')));
    expect(errors).toEqual([]);
    await expectNoViolation(page, site);
  },
);

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
