import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { build, type Plugin } from 'vite';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { ROOT } from '../../tools/library/package-parts.ts';
import { SPOKEN_WORDS } from '../helpers/spoken-words.ts';
import { wordErrorRate } from '../helpers/word-error-rate.ts';
import {
  type ExtensionBrowser,
  openExtensionBrowser,
  toolsIn,
} from './helpers/extension-browser.ts';
import { serveHostSite } from './helpers/host-site.ts';

const ESPEAK_MAX_ERRORS = 0.2;
const SPOKEN_SECONDS = 6;
const WORDS = SPOKEN_WORDS['dictation-one'];

/** The editors as docs/extension.md names them: a row for each, and nothing that was not tried. */
const NAMES = [
  ...readFileSync(join(ROOT, 'docs/extension.md'), 'utf8').matchAll(/^\| ([^|]+) \| works \|$/gm),
].map(([, name = '']) => name);

let site: Awaited<ReturnType<typeof serveHostSite>>;
let browser: ExtensionBrowser;

/** The editors end with their page. */
const withoutVitest: Plugin = {
  name: 'without-vitest',
  enforce: 'pre',
  resolveId: (id) => (id === 'vitest' ? '\0vitest' : null),
  load: (id) => (id === '\0vitest' ? 'export const onTestFinished = () => {};' : null),
};

async function editorScript(): Promise<string> {
  // Else React's development half is taken for one file, and its other for the next.
  vi.stubEnv('NODE_ENV', 'production');
  const built = await build({
    configFile: false,
    logLevel: 'error',
    root: ROOT,
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [withoutVitest, react()],
    build: {
      write: false,
      minify: false,
      target: 'esnext',
      rolldownOptions: {
        input: join(ROOT, 'tests/extension/helpers/editor-page.ts'),
        output: { format: 'es', codeSplitting: false },
      },
    },
  });
  const outputs = [built].flat().flatMap((each) => ('output' in each ? each.output : []));
  const script = outputs.find((each) => each.type === 'chunk');
  if (!script) throw new Error('No script was built');
  return script.code;
}

beforeAll(async () => {
  site = await serveHostSite({
    '/editors': {
      body: `<div id="host" style="margin: 40px; white-space: pre-wrap"></div>
        <script type="module" src="/editors.js"></script>`,
    },
    '/editors.js': {
      body: await editorScript(),
      headers: { 'content-type': 'text/javascript; charset=utf-8' },
    },
  });
  browser = await openExtensionBrowser({ serverUrl: inject('extensionServerUrl') });
});

afterAll(async () => {
  await browser?.close();
  await site?.close();
});

test('every editor of docs/editors.md is in the table', () => {
  const others = readFileSync(join(ROOT, 'docs/editors.md'), 'utf8');
  const rows = [...others.matchAll(/^\| ([^|]+) \| [\d.]+ \|/gm)].map(([, name]) => name);
  expect(rows.length).toBeGreaterThan(10);
  expect(NAMES).toEqual(expect.arrayContaining(rows));
});

test.each(NAMES)('%s: the words stand behind what was typed, and one types on', async (name) => {
  const page = await browser.context.newPage();
  try {
    const failed = new Promise<never>((_, reject) => page.once('pageerror', reject));
    failed.catch(() => {});
    await page.goto(`${site.url}/editors#${encodeURIComponent(name)}`);
    await Promise.race([page.waitForFunction(() => globalThis.editor !== undefined), failed]);
    const element = (
      await page.evaluateHandle(() => globalThis.editor.element as HTMLElement)
    ).asElement();
    const text = () => page.evaluate(() => globalThis.editor.text());
    await element?.focus();
    await page.keyboard.type('Noll');
    await expect.poll(text).toBe('Noll');
    const tools = await toolsIn(browser.context, page);
    await page.keyboard.press('F9');
    await tools.untilRecorded(SPOKEN_SECONDS);
    await page.keyboard.press('F9');
    await tools.untilOver();
    const dictated = await text();
    expect(dictated).toMatch(/^Noll \S/);
    expect(wordErrorRate(WORDS, dictated.slice(5)), dictated).toBeLessThanOrEqual(
      ESPEAK_MAX_ERRORS,
    );
    await page.keyboard.type(' Slut');
    await expect.poll(text).toBe(`${dictated} Slut`);
  } finally {
    await page.close();
  }
});
