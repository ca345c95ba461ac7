import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Frame, Page } from 'playwright';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { SPOKEN_WORDS } from '../helpers/spoken-words.ts';
import { startTestServer } from '../helpers/transcription-server.ts';
import { until } from '../helpers/until.ts';
import { wordErrorRate } from '../helpers/word-error-rate.ts';
import { openExtensionBrowser, toolsIn } from './helpers/extension-browser.ts';
import { serveHostSite } from './helpers/host-site.ts';

/**
 * Editors of sites that are no development dependencies here, two of them being under the GPL: they
 * are installed for this test alone, outside of the repository, and served as sites have them. And
 * inputs whose value is of a form.
 */
const PACKAGES = ['ckeditor5@48.5.2', 'monaco-editor@0.57.0', 'tinymce@8.9.2'];

const ESPEAK_MAX_ERRORS = 0.2;
const SPOKEN_SECONDS = 6;
const WORDS = SPOKEN_WORDS['dictation-one'];

/** In the page: what its editor holds. */
declare global {
  var textOfEditor: () => string;
}

const PAGES = {
  '/ckeditor': {
    body: `<link rel="stylesheet" href="/files/ckeditor5/dist/browser/ckeditor5.css">
      <div id="place"></div>
      <script type="module">
        import { ClassicEditor, Essentials, Paragraph } from '/files/ckeditor5/dist/browser/ckeditor5.js';
        const editor = await ClassicEditor.create({
          attachTo: document.getElementById('place'),
          licenseKey: 'GPL',
          plugins: [Essentials, Paragraph],
          toolbar: ['undo', 'redo'],
        });
        const tags = /<[^>]+>/g;
        globalThis.textOfEditor = () => editor.getData().replace(tags, '').replaceAll('&nbsp;', ' ');
      </script>`,
  },
  '/tinymce': {
    body: `<textarea id="place"></textarea>
      <script src="/files/tinymce/tinymce.min.js"></script>
      <script>
        tinymce.init({ target: document.getElementById('place'), license_key: 'gpl', height: 300 })
          .then(([editor]) => {
            globalThis.textOfEditor = () =>
              editor.getContent({ format: 'text' }).replaceAll('\\u00a0', ' ');
          });
      </script>`,
  },
  '/monaco': {
    body: `<div id="place" style="height: 300px"></div>
      <script src="/files/monaco-editor/min/vs/loader.js"></script>
      <script>
        const getWorker = () => new Worker(URL.createObjectURL(new Blob([])));
        globalThis.MonacoEnvironment = { getWorker };
        require.config({ paths: { vs: '/files/monaco-editor/min/vs' } });
        require(['vs/editor/editor.main'], (all) => {
          const monaco = globalThis.monaco ?? all;
          const editor = monaco.editor.create(document.getElementById('place'), {
            quickSuggestions: false,
            wordBasedSuggestions: 'off',
          });
          globalThis.editorOfPage = editor;
          globalThis.textOfEditor = () => editor.getValue();
        });
      </script>`,
  },
  '/inputs': {
    body: `<input type="email" aria-label="Address"><input type="number" step="any" aria-label="Amount">`,
  },
} as const;

let folder: string;
let site: Awaited<ReturnType<typeof serveHostSite>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'diktera-editors-'));
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  const install = ['install', '--no-save', '--ignore-scripts', ...quiet, ...PACKAGES];
  await promisify(execFile)('npm', install, { cwd: folder });
  site = await serveHostSite(PAGES, join(folder, 'node_modules'));
}, 300_000);

afterAll(async () => {
  await site?.close();
  await rm(folder, { recursive: true, force: true });
});

async function open(path: keyof typeof PAGES, serverUrl: string) {
  const browser = await openExtensionBrowser({ serverUrl });
  onTestFinished(() => browser.close());
  await browser.page.goto(`${site.url}${path}`);
  return { browser, page: browser.page };
}

/** The frame that is typed in. */
async function typedIn(page: Page, path: string): Promise<Page | Frame> {
  if (path !== '/tinymce') return page;
  const [, frame] = await until(() => (page.frames().length > 1 ? page.frames() : null));
  return frame ?? page;
}

test.each([
  ['CKEditor', '/ckeditor', '.ck-editor__editable', 'the dictation'],
  ['TinyMCE in its frame', '/tinymce', 'body', 'what was typed right behind it too'],
  ['Monaco with its EditContext', '/monaco', '.native-edit-context', 'the dictation'],
] as const)(
  '%s: the words stand where the caret was, and one undo takes them',
  async (_, path, place, undone) => {
    const { browser, page } = await open(path, inject('extensionServerUrl'));
    await page.waitForFunction(() => globalThis.textOfEditor !== undefined);
    const inside = await typedIn(page, path);
    const text = () => page.evaluate(() => globalThis.textOfEditor());
    await inside.locator(place).focus();
    await page.keyboard.type('Noll tre');
    for (const _letter of ' tre') await page.keyboard.press('ArrowLeft');
    await expect.poll(text).toBe('Noll tre');
    const tools = await toolsIn(browser.context, page);
    await page.keyboard.press('F9');
    await tools.untilRecorded(SPOKEN_SECONDS);
    await page.keyboard.press('F9');
    await tools.untilOver();
    await expect.poll(text).toMatch(/^Noll \S.*\S tre$/);
    const dictated = (await text()).slice('Noll '.length, -' tre'.length);
    expect(wordErrorRate(WORDS, dictated), dictated).toBeLessThanOrEqual(ESPEAK_MAX_ERRORS);
    // The caret is behind the words.
    await page.keyboard.type('!');
    await expect.poll(text).toBe(`Noll ${dictated}! tre`);
    if (undone === 'the dictation') {
      await page.keyboard.press('Control+z');
      await expect.poll(text).toBe(`Noll ${dictated} tre`);
    }
    await page.keyboard.press('Control+z');
    await expect.poll(text).toBe('Noll tre');
  },
);

test.each([
  ['an address', 'Address', 'Anna at example dot com.', 'anna@example.com', 'x@y.z'],
  ['a number', 'Amount', 'Twelve point five.', '12.5', '7'],
] as const)(
  '%s goes into its input, in place of what stood there, and one undo brings that back',
  async (_, name, said, value, before) => {
    const server = await startTestServer(() => ({
      kind: 'answer',
      status: 200,
      body: JSON.stringify({ transcription: said, language: 'en' }),
    }));
    onTestFinished(() => server.close());
    const { browser, page } = await open('/inputs', new URL('/', server.url).href);
    const field = page.getByLabel(name);
    const tools = await toolsIn(browser.context, page);
    await field.click();
    await page.keyboard.type(before);
    await tools.press('.tool-dictate');
    await tools.untilRecorded(3);
    await page.keyboard.press('F9');
    await tools.untilOver();
    await expect.poll(() => field.inputValue()).toBe(value);
    await page.keyboard.press('Control+z');
    await expect.poll(() => field.inputValue()).toBe(before);
  },
);
