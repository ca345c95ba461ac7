import { execFile } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { localCommand } from '../../tools/browsers.ts';
import { installExample } from './helpers/example.ts';
import { serveSite } from './helpers/static-site.ts';

/**
 * The editors that docs/editors.md tells of. They are installed for this test alone, outside of the
 * repository, and are no dependency of anything here: two of them are under the GPL.
 */
const PACKAGES = [
  '@codemirror/commands@6.11.1',
  '@codemirror/state@6.7.6',
  '@codemirror/view@6.43.15',
  'ace-builds@1.45.2',
  'ckeditor5@48.5.2',
  'monaco-editor@0.57.0',
  'tinymce@8.9.2',
];

/** Of the page in `editors`, by the ids of their elements. */
const NAMES = [
  'codemirror',
  'monaco',
  'monaco-area',
  'ace',
  'ckeditor',
  'tinymce',
  'tinymce-frame',
] as const;

/** In the page: an editor with its adapter. */
type Mounted = {
  readonly field: {
    readonly element: HTMLElement;
    saveCursor(isEndWanted: boolean, spacing: string): object;
    insert(text: string, cursor: object | undefined, options: object): Promise<object>;
    caretRect(): DOMRect;
  };
  text(): string;
  setReadOnly(isReadOnly: boolean): void;
};

type EditorsPage = { editors: Record<string, Mounted>; cursors: object[] };

let browser: Browser;
beforeAll(async () => {
  const executablePath = process.env.DIKTERA_BROWSER;
  browser = await chromium.launch(executablePath ? { executablePath } : {});
});
afterAll(() => browser.close());

/** A person's actions in one editor. */
function inPage(page: Page, name: string) {
  const within = <Given, Answer>(act: (editor: Mounted, given: Given) => Answer, given: Given) =>
    page.evaluate(
      ([editor, source, value]) => {
        const { editors } = window as unknown as EditorsPage;
        return new Function(`return ${source}`)()(editors[editor], value) as Answer;
      },
      [name, act.toString(), given] as const,
    );
  return {
    text: () => within((editor) => editor.text(), null),
    setReadOnly: (is: boolean) => within((editor, given) => editor.setReadOnly(given), is),
    async click() {
      const handle = await page.evaluateHandle(
        (editor) => (window as unknown as EditorsPage).editors[editor]?.field.element,
        name,
      );
      const element = handle.asElement();
      await element?.scrollIntoViewIfNeeded();
      const box = await element?.boundingBox();
      if (box) await page.mouse.click(box.x + 80, box.y + 12);
    },
    /** Saves the cursor when the editor has heard of the last key. */
    async save() {
      await page.evaluate(
        () => new Promise((resolve) => setTimeout(() => requestAnimationFrame(resolve), 150)),
      );
      await within((editor) => {
        const of = window as unknown as EditorsPage;
        of.cursors = [editor.field.saveCursor(true, 'smart')];
      }, null);
    },
    insert: (text: string) =>
      within((editor, given) => {
        const [cursor] = (window as unknown as EditorsPage).cursors;
        return editor.field.insert(given, cursor, { spacing: 'smart' });
      }, text),
  };
}

test('each adapter fits the types of its editor, and takes texts as its own', {
  timeout: 480_000,
}, async () => {
  const example = await installExample('vite', PACKAGES);
  await cp(join('tests', 'package', 'editors'), example.folder, { recursive: true });
  const guide = await readFile('docs/editors.md', 'utf8');
  const [, sample = ''] = /```ts\n(import \{ customField \}.*?)```/s.exec(guide) ?? [];
  await writeFile(join(example.folder, 'ace-field.js'), sample);
  await promisify(execFile)(resolve(localCommand('tsc')), ['-p', '.'], { cwd: example.folder });
  await example.run('vite', 'build', '--base', './');
  const url = await serveSite(join(example.folder, 'dist'), null);

  for (const name of NAMES) {
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    const thrown: string[] = [];
    page.on('pageerror', ({ message }) => thrown.push(message));
    await page.goto(url);
    await page.waitForFunction(() => 'editors' in window);
    const { text, click, save, insert, setReadOnly } = inPage(page, name);
    const press = (keys: string) => page.keyboard.press(keys);
    const reads = (wanted: string) => expect.poll(text, { message: name }).toBe(wanted);
    /** Empty lines are paragraphs to some. */
    const lines = async () => (await text()).replace(/\n+/g, '\n');

    // One step for the dictation, whatever is typed right before it and behind.
    await click();
    await page.keyboard.type('Ett');
    await save();
    expect(await insert('två\ntre.\n\nfyra'), name).toMatchObject({ kind: 'inserted' });
    expect(await lines(), name).toBe('Ett två\ntre.\nfyra');
    await page.keyboard.type(' Fem');
    await reads((await text()).replace(/(?: Fem)?$/, ' Fem'));
    expect(await lines(), name).toBe('Ett två\ntre.\nfyra Fem');
    await press('Control+z');
    await expect.poll(lines, { message: name }).toBe('Ett två\ntre.\nfyra');
    await press('Control+z');
    await reads('Ett');
    await press('Control+y');
    await expect.poll(lines, { message: name }).toBe('Ett två\ntre.\nfyra');

    // Late: at its place, with what was typed meanwhile, and the caret where the user is.
    await press('Control+a');
    await press('Delete');
    await page.keyboard.type('Ett tre');
    for (const _ of ' tre') await press('ArrowLeft');
    await save();
    await press('Home');
    await page.keyboard.type('Noll ');
    await reads('Noll Ett tre');
    expect(await insert('två'), name).toMatchObject({ kind: 'inserted' });
    expect(await text(), name).toBe('Noll Ett två tre');
    await page.keyboard.type('!');
    await reads('Noll !Ett två tre');

    // With the user in another field.
    await press('End');
    await save();
    await page.click('input');
    await page.keyboard.type('He');
    expect(await insert('fyra'), name).toMatchObject({ kind: 'inserted' });
    await page.keyboard.type('j');
    expect(await text(), name).toBe('Noll !Ett två tre fyra');
    expect(await page.inputValue('input'), name).toBe('Hej');

    // Read-only it takes none, and later it does.
    await save();
    await setReadOnly(true);
    expect(await insert('fem'), name).toEqual({ kind: 'not-editable' });
    await setReadOnly(false);
    expect(await insert('fem'), name).toMatchObject({ kind: 'inserted' });
    expect(await text(), name).toBe('Noll !Ett två tre fyra fem');

    // Its toolbar comes where one types.
    await click();
    const hasToolbar = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('diktera-tools')].some(
          ({ shadowRoot }) => shadowRoot?.querySelector('[role="toolbar"]') !== null,
        ),
      );
    await expect.poll(hasToolbar, { message: name }).toBe(true);
    expect(thrown, name).toEqual([]);
  }
});
