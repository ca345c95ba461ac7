import { execFile } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { chromium } from 'playwright';
import { expect, onTestFinished, test } from 'vitest';
import { findWebKit, localCommand, type WebKitPrograms } from '../../tools/browsers.ts';
import { keyActions, openWebKitWindow } from '../drivers/webkit.ts';
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

const INSERTED = { kind: 'inserted' };

/** In the page: an editor with its adapter. */
type Mounted = {
  readonly field: {
    readonly element: HTMLElement;
    saveCursor(isEndWanted: boolean, spacing: string): object;
    insert(
      text: string,
      cursor: object | undefined,
      options: object,
    ): Promise<{ readonly kind: string }>;
    caretRect(): DOMRect;
  };
  text(): string;
  setReadOnly(isReadOnly: boolean): void;
};

type EditorsPage = { editors: Record<string, Mounted>; cursors: object[]; thrown: string[] };

/** A page in some browser, and what a person does there. */
type Hand = {
  open(url: string): Promise<void>;
  /** Runs a function in the page; what it answers. */
  run<Given, Answer>(act: (given: Given) => Answer, given: Given): Promise<Awaited<Answer>>;
  type(text: string): Promise<void>;
  /** A key, or some at once: `Control+z`. */
  press(keys: string): Promise<void>;
  click(x: number, y: number): Promise<void>;
};

async function inChromium(): Promise<Hand> {
  const executablePath = process.env.DIKTERA_BROWSER;
  const browser = await chromium.launch(executablePath ? { executablePath } : {});
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  return {
    open: async (url) => void (await page.goto(url)),
    run: (act, given) => page.evaluate(runsIn(act, given)),
    type: (text) => page.keyboard.type(text),
    press: (keys) => page.keyboard.press(keys),
    click: (x, y) => page.mouse.click(x, y),
  };
}

async function inWebKit(programs: WebKitPrograms): Promise<Hand> {
  const { driver, close } = await openWebKitWindow(programs);
  onTestFinished(close);
  const act = (source: object) => driver.command('POST', 'actions', { actions: [source] });
  const keyboard = async (keys: string): Promise<void> => {
    const { actions } = keyActions(keys, []);
    await act({ type: 'key', id: 'keyboard', actions });
  };
  const script = `const [source, done] = arguments;
    Promise.resolve((0, eval)(source)).then((value) => done({ value }), (error) => done({ error: String(error) }));`;
  return {
    open: async (url) => void (await driver.command('POST', 'url', { url })),
    async run<Given, Answer>(
      call: (given: Given) => Answer,
      given: Given,
    ): Promise<Awaited<Answer>> {
      const args = [runsIn(call, given)];
      const told = await driver.command('POST', 'execute/async', { script, args });
      const { value, error } = told as {
        readonly value?: Awaited<Answer>;
        readonly error?: string;
      };
      if (error !== undefined) throw new Error(error);
      return value as Awaited<Answer>;
    },
    type: (text) => keyboard(text),
    press(keys) {
      const held = keys.split('+');
      const key = held.pop() ?? '';
      const down = held.map((name) => `{${name}>}`).join('');
      const up = held.map((name) => `{/${name}}`).join('');
      return keyboard(`${down}${key.length === 1 ? key : `{${key}}`}${up}`);
    },
    async click(x, y) {
      const place = { type: 'pointerMove', x: Math.round(x), y: Math.round(y) };
      const button = 0;
      await act({
        type: 'pointer',
        id: 'mouse',
        parameters: { pointerType: 'mouse' },
        actions: [place, { type: 'pointerDown', button }, { type: 'pointerUp', button }],
      });
    },
  };
}

const runsIn = (act: (given: never) => unknown, given: unknown): string =>
  `(${act.toString()})(${JSON.stringify(given)})`;

/** A person's actions in one editor. */
function inPage(hand: Hand, name: string) {
  return {
    text: () =>
      hand.run((id) => (window as unknown as EditorsPage).editors[id]?.text() ?? '', name),
    setReadOnly: (is: boolean) =>
      hand.run(
        ([id, isReadOnly]) =>
          (window as unknown as EditorsPage).editors[id]?.setReadOnly(isReadOnly),
        [name, is] as const,
      ),
    /** Hides it with all that is around it, or shows it. */
    hide: (is: boolean) =>
      hand.run((isHidden) => {
        document.body.hidden = isHidden;
      }, is),
    async click() {
      const { x, y } = await hand.run((id) => {
        const element = (window as unknown as EditorsPage).editors[id]?.field.element;
        element?.scrollIntoView({ block: 'center' });
        const { left = 0, top = 0 } = element?.getBoundingClientRect() ?? {};
        return { x: left + 80, y: top + 12 };
      }, name);
      await hand.click(x, y);
    },
    /** Saves the cursor when the editor has heard of the last key. */
    save: () =>
      hand.run(async (id) => {
        await new Promise((resolve) => setTimeout(() => requestAnimationFrame(resolve), 150));
        const of = window as unknown as EditorsPage;
        of.cursors = [of.editors[id]?.field.saveCursor(true, 'smart') ?? {}];
      }, name),
    insert: (text: string) =>
      hand.run(
        ([id, given]) => {
          const { editors, cursors } = window as unknown as EditorsPage;
          return editors[id]?.field.insert(given, cursors[0], { spacing: 'smart' });
        },
        [name, text] as const,
      ),
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

  const hands = { Chromium: await inChromium() };
  const programs = findWebKit();
  if (programs) Object.assign(hands, { WebKitGTK: await inWebKit(programs) });
  for (const [browser, hand] of Object.entries(hands))
    for (const id of NAMES) await tryEditor(hand, url, id, `${id} in ${browser}`);
});

/** Tries one editor by hand. */
async function tryEditor(hand: Hand, url: string, id: string, name: string): Promise<void> {
  await hand.open(url);
  await expect.poll(() => hand.run(() => 'editors' in window, null)).toBe(true);
  const { text, click, save, insert, setReadOnly, hide } = inPage(hand, id);
  const { press, type } = hand;
  const reads = (wanted: string) => expect.poll(text, { message: name }).toBe(wanted);
  /** Empty lines are paragraphs to some. */
  const lines = async () => (await text()).replace(/\n+/g, '\n');

  // One step for the dictation, whatever is typed right before it and behind.
  await click();
  await type('Ett');
  await save();
  expect(await insert('två\ntre.\n\nfyra'), name).toMatchObject(INSERTED);
  expect(await lines(), name).toBe('Ett två\ntre.\nfyra');
  await type(' Fem');
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
  await type('Ett tre');
  for (const _ of ' tre') await press('ArrowLeft');
  await save();
  await press('Home');
  await type('Noll ');
  await reads('Noll Ett tre');
  expect(await insert('två'), name).toMatchObject(INSERTED);
  expect(await text(), name).toBe('Noll Ett två tre');
  await type('!');
  await reads('Noll !Ett två tre');

  // With the user in another field.
  await press('End');
  await save();
  await hand.run(() => document.querySelector('input')?.focus(), null);
  await type('He');
  expect(await insert('fyra'), name).toMatchObject(INSERTED);
  await type('j');
  expect(await text(), name).toBe('Noll !Ett två tre fyra');
  expect(await hand.run(() => document.querySelector('input')?.value, null), name).toBe('Hej');

  // Read-only it takes none, and later it does.
  await save();
  await setReadOnly(true);
  expect(await insert('fem'), name).toEqual({ kind: 'not-editable' });
  await setReadOnly(false);
  expect(await insert('fem'), name).toMatchObject(INSERTED);
  expect(await text(), name).toBe('Noll !Ett två tre fyra fem');

  // Hidden it takes the text into what it keeps, or none before it is seen again.
  await save();
  await hide(true);
  const outcome = await insert('sex');
  await hide(false);
  if (outcome?.kind === 'not-editable') expect(await insert('sex'), name).toMatchObject(INSERTED);
  else expect(outcome, name).toMatchObject(INSERTED);
  expect(await text(), name).toBe('Noll !Ett två tre fyra fem sex');

  // A selection across two lines is replaced, and joins them.
  await click();
  await press('Control+a');
  await type('Ett två');
  await press('Enter');
  await type('och tre');
  for (const _ of ' tre') await press('ArrowLeft');
  for (const _ of 'två\noch') await press('Shift+ArrowLeft');
  await save();
  expect(await insert('mitt'), name).toMatchObject(INSERTED);
  expect(await text(), name).toBe('Ett mitt tre');

  // Its toolbar comes where one types.
  await click();
  const hasToolbar = () =>
    hand.run(
      () =>
        [...document.querySelectorAll('diktera-tools')].some(
          ({ shadowRoot }) => shadowRoot?.querySelector('[role="toolbar"]') !== null,
        ),
      null,
    );
  await expect.poll(hasToolbar, { message: name }).toBe(true);
  const thrown = () => hand.run(() => (window as unknown as EditorsPage).thrown, null);
  expect(await thrown(), name).toEqual([]);
}
