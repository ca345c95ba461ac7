import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { untilRecorded } from '../e2e/helpers/dictation-page.ts';
import { type RunningServer, startServer } from '../e2e/helpers/server.ts';
import { openSpeaking } from './helpers/dictate.ts';
import { installExample } from './helpers/example.ts';
import {
  documentedPolicy,
  expectNoViolation,
  type GuardedSite,
  type Policy,
  serveGuarded,
} from './helpers/policy.ts';

// That what docs/embedding.md asks for is enough is held wherever built pages are dictated on.
// Here: that none of it can be left out.
const SERVER = 'https://dikt.example.se';
const SCRIPT_THERE = `src="${SERVER}/lib/v1/diktera.js"`;
const SCRIPT_BESIDE =
  'src="./node_modules/diktera/dist/lib/diktera.js" data-diktera-url="/api/asr/vad"';

type Opened = {
  readonly page: Page;
  readonly site: GuardedSite;
  /** Rules that were broken, and what the console said of errors, line by line. */
  readonly told: () => string;
};

/** Opens the plain page under a policy of which one directive has another value. */
async function open(folder: string, policy: Policy, change: Policy): Promise<Opened> {
  const site = await serveGuarded(folder, null, new Map([...policy, ...change]));
  const { page, errors } = await openSpeaking();
  await page.goto(site.url);
  const told = () =>
    [...site.violations.map((each) => `${each.directive} ${each.blocked}`), ...errors].join('\n');
  return { page, site, told };
}

/** The page with the package beside it, and no server of speech. */
async function openBeside(change: Policy): Promise<Opened> {
  const { folder } = await installExample('plain');
  const text = await readFile(join(folder, 'index.html'), 'utf8');
  await writeFile(join(folder, 'index.html'), text.replace(SCRIPT_THERE, SCRIPT_BESIDE));
  return open(folder, await documentedPolicy(), change);
}

/** Records, and plays what waits for a server that is not there. */
async function playWhatWaits(page: Page): Promise<void> {
  await pressDiktera(page);
  await untilRecorded(page, 4);
  await page
    .getByRole('region', { name: 'Inspelning' })
    .getByRole('button', { name: 'Klar' })
    .click();
  await page.locator('.diktera-recording-bar').waitFor({ state: 'detached' });
  const toolbar = page.getByRole('toolbar', { name: 'Diktering' });
  await toolbar.getByRole('button', { name: /väntar/ }).click();
  await page.getByRole('button', { name: /^Spela upp, / }).click();
}

async function pressDiktera(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Anteckning' }).click();
  await page.getByRole('button', { name: 'Diktera', exact: true }).click();
}

describe('all on the page’s host', () => {
  test.each([
    { directive: 'script-src', value: "'self'", sign: /^script-src wasm-eval$/m },
    { directive: 'worker-src', value: "'none'", sign: /^worker-src .*\/worker\.js$/m },
    { directive: 'connect-src', value: "'none'", sign: /^connect-src .*\/silero-v6-fused\.wasm$/m },
  ])('$directive cannot be $value', async ({ directive, value, sign }) => {
    const { page, told } = await openBeside(new Map([[directive, value]]));
    await pressDiktera(page);
    await expect.poll(told, { timeout: 20_000 }).toMatch(sign);
  });

  test('media-src is enough to play what waits, and cannot be left out', async () => {
    const { page, site } = await openBeside(new Map());
    await playWhatWaits(page);
    await page.getByRole('button', { name: /^Spela upp, /, pressed: true }).waitFor();
    await expectNoViolation(page, site);
    const barred = await openBeside(new Map([['media-src', "'none'"]]));
    await playWhatWaits(barred.page);
    await expect.poll(barred.told).toMatch(/^media-src blob$/m);
  });
});

describe('files and server on another host', () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  test.each([
    { directive: 'script-src', value: SERVER, sign: /^script-src wasm-eval$/m },
    { directive: 'worker-src', value: SERVER, sign: /^worker-src blob$/m },
    // Nobody tells of what a worker that never was may not import.
    { directive: 'worker-src', value: 'blob:', sign: /^The dictation worker reported an error/m },
    { directive: 'connect-src', value: "'none'", sign: /^connect-src .*\/silero-v6-fused\.wasm$/m },
  ])('$directive cannot be $value', async ({ directive, value, sign }) => {
    const folder = await mkdtemp(join(tmpdir(), 'diktera-policy-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const text = await readFile('examples/plain/index.html', 'utf8');
    await writeFile(join(folder, 'index.html'), text.replaceAll(SERVER, server.url));
    const change = new Map([[directive, value.replace(SERVER, server.url)]]);
    const { page, told } = await open(folder, await documentedPolicy(server.url), change);
    await pressDiktera(page);
    await expect.poll(told, { timeout: 20_000 }).toMatch(sign);
  });
});
