import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { systemClock } from '../../server/core/system.ts';
import { startEngineProcess } from '../../server/engine/engine-process.ts';
import { createEngineSet } from '../../server/engine/engine-set.ts';
import { createLocalEngine } from '../../server/models/local-engine.ts';
import { createFakeEngine } from '../helpers/fake-engine.ts';
import { startFileServer } from '../helpers/file-server.ts';
import { madeFiles, madeModel } from '../helpers/made-model.ts';
import { startServer } from '../helpers/running-server.ts';
import { dictationPage, openAbout } from './helpers/dictation-page.ts';
import { openSpeakingBrowser } from './helpers/speaking-browser.ts';

const WAV_PATH = resolve('tests/fixtures/dictation-one.wav');
const MODEL_BYTES = 4_000_000;

/**
 * The server and the built page as on a person's own machine, without Swedish; its model is a made
 * one that writes numbered words, and comes from a server in the test's hands.
 */
async function openPage(locale?: string) {
  const made = madeModel({}, madeFiles(undefined, MODEL_BYTES));
  const files = await startFileServer(made.files);
  const modelsRoot = await mkdtemp(join(tmpdir(), 'diktera-models-'));
  const swedish = createLocalEngine({
    model: made.model,
    modelsRoot,
    sources: [{ kind: 'hub', address: files.address }],
    env: {},
    pause: async () => undefined,
    isWanted: false,
    threads: 1,
    launch: (plan) => startEngineProcess(plan),
    clock: systemClock,
    onProgress: () => undefined,
    onFailure: () => undefined,
  });
  const server = await startServer({
    engine: createEngineSet({
      byLanguage: new Map([['sv', swedish]]),
      fallback: createFakeEngine('english').engine,
    }),
    models: { engines: [swedish], fetchers: 'loopback' },
    pages: { kind: 'folder', webRoot: process.env.WEB_ROOT ?? 'dist/web' },
  });
  const browser = await openSpeakingBrowser({
    wavPath: WAV_PATH,
    url: server.url,
    ...(locale === undefined ? {} : { locale }),
  });
  onTestFinished(async () => {
    await browser.close();
    await server.close();
    await swedish.dispose?.();
    await rm(modelsRoot, { recursive: true, force: true });
  });
  const { page } = browser;
  const panel = page.locator('.swedish');
  return {
    files,
    swedish,
    url: server.url,
    page,
    panel,
    dictation: dictationPage(page),
    button: (name: string) => panel.getByRole('button', { name }),
    untilStage: (stage: string) => page.locator(`.swedish[data-stage="${stage}"]`).waitFor(),
  };
}

describe('Swedish spoken to a server that has English only', () => {
  test('is said to be missing before anybody speaks, waits, and is written when it has come', async () => {
    const { page, panel, dictation, button, untilStage } = await openPage('sv-SE');
    await untilStage('absent');
    await panel.getByText('det sparas här och blir text när svenskan är hämtad').waitFor();
    await dictation.field.click();
    await dictation.startDictating();
    await dictation.recordUntil(4);
    await dictation.stopDictating();
    await page.locator('.waiting li[data-state="language"]').waitFor();
    expect(await dictation.text()).toBe('');

    await button('Hämta svenska (4 MB)').click();
    await untilStage('ready');
    await expect.poll(() => dictation.text(), { timeout: 30_000 }).toMatch(/^ ?w\d+( w\d+)+/);
    await page.locator('.waiting').waitFor({ state: 'detached' });
  });

  test('with the real engine: nothing English comes of it', async () => {
    const { page } = await openSpeakingBrowser({
      wavPath: WAV_PATH,
      url: inject('serverUrl'),
      locale: 'sv-SE',
    });
    const dictation = dictationPage(page);
    await page.locator('.swedish[data-stage]').waitFor();
    await dictation.field.click();
    await dictation.startDictating();
    await dictation.recordUntil(4);
    await dictation.stopDictating();
    await page.locator('.waiting li[data-state="language"]').waitFor();
    expect(await dictation.text()).toBe('');
    await page.getByText('Alternativ').click();
    await page
      .getByRole('option', { name: 'Automatiskt (svenska)' })
      .waitFor({ state: 'attached' });
  });
});

describe('Swedish from the page', () => {
  test('asked for, paused, gone on with; what was said meanwhile is written down', async () => {
    const { files, page, panel, dictation, button, untilStage } = await openPage();
    await untilStage('absent');
    await dictation.picture('swedish-offered');
    files.misbehave({ kind: 'hangs', afterBytes: MODEL_BYTES / 2 });
    await button('Hämta svenska (4 MB)').click();
    const bar = panel.getByRole('progressbar', { name: 'Svenska, hur mycket som är klart' });
    await expect.poll(() => bar.getAttribute('value').then(Number)).toBeCloseTo(0.47, 1);
    await panel
      .locator('.swedish-fault')
      .getByText('Hämtningen står still.')
      .waitFor({ timeout: 10_000 });

    await dictation.field.click();
    await dictation.startDictating();
    await dictation.recordUntil(4);
    await dictation.stopDictating();
    const row = page.locator('.waiting li[data-state="preparing"]');
    await row.getByText(/Väntar på att språket görs i ordning, \d\d % klart/).waitFor();
    await dictation.picture('swedish-on-its-way');
    expect(await dictation.text()).toBe('');

    await button('Pausa').click();
    await untilStage('paused');
    const asked = files.asked.length;
    files.misbehave(null);
    await button('Fortsätt').click();
    await untilStage('ready');
    expect(files.asked.slice(asked)).toEqual([expect.stringMatching(/encoder.onnx bytes=\d{7}-$/)]);
    // It goes to its place by itself, in the words of the made model.
    await expect.poll(() => dictation.text(), { timeout: 30_000 }).toMatch(/^w\d+( w\d+)+/);
    await page.locator('.waiting').waitFor({ state: 'detached' });
    await dictation.picture('swedish-ready');
    await button('Stäng').click();
    await panel.waitFor({ state: 'detached' });
  });

  test('a file that is not the right one is said in Swedish, and tried again', async () => {
    const { files, page, panel, button, untilStage } = await openPage();
    files.misbehave({ kind: 'wrong-bytes' });
    await button('Hämta svenska (4 MB)').click();
    await untilStage('failed');
    await panel.locator('.swedish-fault').getByText('inte den rätta filen').waitFor();
    files.misbehave(null);
    await button('Försök igen').click();
    await untilStage('ready');

    await page.reload();
    await dictationPage(page).field.click();
    await openAbout(page);
    await page.getByText(/svenska \(made-sv\)/).waitFor();
    expect(await panel.count()).toBe(0);
    await page.getByText('Made model av made for tests. Licens: none.').waitFor();
  });

  test('cancelled, what was said stays, and is written down when Swedish is asked for again', async () => {
    const { files, page, panel, dictation, button, untilStage } = await openPage();
    files.misbehave({ kind: 'hangs', afterBytes: MODEL_BYTES / 2 });
    await button('Hämta svenska (4 MB)').click();
    await untilStage('fetching');
    await dictation.field.click();
    await dictation.startDictating();
    await dictation.recordUntil(4);
    await dictation.stopDictating();
    await page.locator('.waiting li[data-state="preparing"]').waitFor();

    await button('Avbryt').click();
    await page.getByRole('button', { name: 'Avbryt hämtningen' }).click();
    await untilStage('absent');
    await page.getByText('Väntar på ett språk som servern inte har').waitFor();
    await dictation.picture('swedish-cancelled');
    expect(await page.locator('.waiting li').count()).toBe(1);
    expect(await dictation.text()).toBe('');

    files.misbehave(null);
    await panel.getByRole('button', { name: /^Hämta svenska/ }).click();
    await untilStage('ready');
    await expect.poll(() => dictation.text(), { timeout: 30_000 }).toMatch(/^w\d+( w\d+)+/);
    await page.locator('.waiting').waitFor({ state: 'detached' });
  });

  test('a page of another origin on this machine neither learns the token nor has it fetched', async () => {
    const { swedish, url, page } = await openPage();
    const { token } = await page.evaluate(async () => (await fetch('/api/models')).json());
    expect(token).toEqual(expect.any(String));
    const other = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html').end('<title>Another site</title>');
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}`);
    const outcome = await page.evaluate(
      async ({ list, stolen }) => {
        const tell = (asked: Promise<Response>) =>
          asked.then(
            ({ type, status }) => `${type} ${status}`,
            () => 'refused',
          );
        const fetchIt = `${list}/made-sv/fetch`;
        const headers = { 'x-diktera-models': stolen };
        return [
          await tell(fetch(list)),
          await tell(fetch(fetchIt, { method: 'POST', headers })),
          await tell(fetch(fetchIt, { method: 'POST', mode: 'no-cors' })),
        ];
      },
      { list: `${url}/api/models`, stolen: token },
    );
    // The last is sent, and its answer kept from the page: the server has to refuse it.
    expect(outcome).toEqual(['refused', 'refused', 'refused']);
    expect(swedish.progress()).toEqual({ kind: 'absent' });
  });
});
