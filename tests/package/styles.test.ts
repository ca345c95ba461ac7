import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transform } from 'lightningcss';
import { chromium, type Page } from 'playwright';
import { rolldown } from 'rolldown';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ROOT } from '../../tools/library/package-parts.ts';
import { libraryStyles } from '../../tools/library/styles.ts';
import { serveSite } from './helpers/static-site.ts';

/** Classes and custom properties by their names in our sources: what other libraries have, too. */
async function sourceNames(): Promise<{ classes: Set<string>; properties: Set<string> }> {
  const folder = join(ROOT, 'src/widget/styles');
  const sheets = await Promise.all(
    (await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')),
  );
  const css = sheets.join('\n').replace(/\/\*.*?\*\//gs, '');
  const named = (pattern: RegExp) =>
    new Set([...css.matchAll(pattern)].map(([, name = '']) => name));
  return { classes: named(/\.([a-z][\w-]*)/g), properties: named(/--([a-z][\w-]*)/g) };
}

const PAGE_ENTRY = `
import { createElement as make } from 'react';
import { createRoot } from 'react-dom/client';
import { DictationField, LiveWords, Notices, useDictation } from './react.js';
function Note() {
  const dictation = useDictation();
  return make('div', null,
    make(DictationField, { dictation, label: 'Note', className: 'toolbar' }),
    make(LiveWords, { dictation }),
    make(Notices, { dictation }));
}
createRoot(document.getElementById('ours')).render(make(Note));
`;

let styles = '';
beforeAll(() => {
  styles = libraryStyles();
});

/** A page with things of its own under every name that our sources have, and our field. */
async function openPage(hostStyles: string): Promise<Page> {
  const { classes, properties } = await sourceNames();
  const folder = await mkdtemp(join(tmpdir(), 'diktera-styles-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const entry = join(ROOT, 'dist/lib/page-for-styles.js');
  await writeFile(entry, PAGE_ENTRY);
  onTestFinished(() => rm(entry));
  const bundle = await rolldown({
    input: { page: entry },
    cwd: ROOT,
    platform: 'browser',
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  });
  await bundle.write({ dir: folder, format: 'esm' });
  await bundle.close();
  const own = [...classes].map((name) => `<button class="own ${name}">own</button>`).join('');
  const taken = [...properties].map((name) => `--${name}: rgb(1, 2, 3);`).join('');
  const mine = [...classes].map((name) => `.${name}`).join();
  await writeFile(join(folder, 'styles.css'), styles);
  await writeFile(
    join(folder, 'index.html'),
    `<!doctype html><html lang="en"><style>:root { ${taken} } ${mine} { outline: 3px solid rgb(1, 2, 3) } ${hostStyles}</style>
    <body><h1>Host</h1><p>Text <a href="#">link</a> <input value="own"></p><dialog open>own</dialog>${own}
    <div id="ours"></div><script type="module" src="./page.js"></script></body></html>`,
  );
  const executablePath = process.env.DIKTERA_BROWSER;
  const browser = await chromium.launch(executablePath ? { executablePath } : {});
  onTestFinished(() => browser.close());
  const page = await browser.newPage({ colorScheme: 'dark' });
  await page.goto(await serveSite(folder, null));
  await page.locator('[role=textbox]').waitFor();
  return page;
}

/** The looks of all of the page's own elements. */
const hostLooks = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() =>
    [
      ...document.querySelectorAll(
        'html, body, body > :not(#ours, script), body > * > a, body input',
      ),
    ]
      .filter((element) => !element.closest('#ours'))
      .flatMap((element) =>
        [null, '::before', '::after'].map((part) => {
          const style = getComputedStyle(element, part);
          // Read by nothing but what a bundler has put in place of `light-dark()`.
          const names = [...style].filter((name) => !name.startsWith('--lightningcss-')).sort();
          const all = names.map((name) => `${name}: ${style.getPropertyValue(name)}`);
          return `${element.localName}.${element.className}${part ?? ''} ${all.join('; ')}`;
        }),
      ),
  );

const addOurs = async (page: Page): Promise<void> => {
  await page.addStyleTag({ url: './styles.css' });
};

describe('diktera/styles.css', () => {
  test('changes nothing of the page’s own, dark or light, whatever its names', async () => {
    const page = await openPage('button { color: rgb(9, 9, 9) }');
    // Our elements are taken out of the flow, so that they move nothing.
    await page.addStyleTag({ content: '#ours { position: absolute; width: 20rem }' });
    const before = await hostLooks(page);
    await addOurs(page);
    const after = await hostLooks(page);
    expect(before.length).toBeGreaterThan(100);
    expect(after).toEqual(before);
  });

  test('leaves ours to us: the page’s classes and properties do not reach it', async () => {
    const page = await openPage('');
    await addOurs(page);
    await page.locator('[role=textbox]').click();
    await page.locator('[role=toolbar]').waitFor();
    const ours = await page.evaluate(() =>
      [...document.querySelectorAll('#ours > div *')]
        // The class that the page gave.
        .filter((element) => !element.classList.contains('toolbar'))
        .map((element) => [element.getAttribute('class'), getComputedStyle(element).outlineColor]),
    );
    expect(ours.length).toBeGreaterThan(8);
    expect(ours.filter(([, colour]) => colour === 'rgb(1, 2, 3)')).toEqual([]);
    // One ring for the field: its sheet's.
    const text = page.locator('[role=textbox]');
    expect(await text.evaluate((element) => getComputedStyle(element).outlineStyle)).toBe('none');
    const bare = ours.flatMap(([names]) => names?.split(' ') ?? []);
    expect(bare.filter((name) => name && !/^(?:diktera-|lucide|notranslate)/.test(name))).toEqual(
      [],
    );
  });

  test('looks as the page says in --diktera-*, and by default as it should', async () => {
    const page = await openPage('');
    await addOurs(page);
    const look = (name: 'borderRadius' | 'backgroundColor') =>
      page
        .locator('.diktera-sheet')
        .evaluate((element, key) => getComputedStyle(element)[key as 'borderRadius'], name);
    expect(await look('borderRadius')).toBe('16px');
    // The browser would have it dark: the page has not said that it can be.
    expect(await look('backgroundColor')).toBe('rgb(255, 255, 255)');
    await page.addStyleTag({ content: 'body { color-scheme: dark }' });
    expect(await look('backgroundColor')).not.toBe('rgb(255, 255, 255)');
    const theme = ':root { --diktera-sheet: rgb(5, 6, 7); --diktera-radius-large: 2px }';
    await page.addStyleTag({ content: theme });
    expect([await look('borderRadius'), await look('backgroundColor')]).toEqual([
      '2px',
      'rgb(5, 6, 7)',
    ]);
  });

  test('has its colours where a bundler writes it for older browsers', async () => {
    /** As Next.js does. */
    const lowered = (css: string) =>
      transform({ filename: 'a.css', code: Buffer.from(css), targets: { chrome: 111 << 16 } })
        .code.toString()
        .trim();
    const page = await openPage('');
    expect(lowered(styles)).not.toContain('light-dark(');
    await page.addStyleTag({ content: lowered(styles) });
    const ground = () =>
      page
        .locator('.diktera-sheet')
        .evaluate((element) => getComputedStyle(element).backgroundColor);
    expect(await ground()).toBe('rgb(255, 255, 255)');
    await page.addStyleTag({ content: lowered('html { color-scheme: light dark }') });
    expect(await ground()).toBe('rgb(30, 33, 36)');
  });

  test('every class of it is one that our components have', async () => {
    const scripts = (await readdir(join(ROOT, 'dist/lib'))).filter((name) => name.endsWith('.js'));
    const code = (
      await Promise.all(scripts.map((name) => readFile(join(ROOT, 'dist/lib', name), 'utf8')))
    ).join('\n');
    const used = new Set([...styles.matchAll(/\.(diktera-[\w-]+)/g)].map(([, name = '']) => name));
    const unknown = [...used].filter((name) => !code.includes(name));
    // Put together from the kind of field.
    expect(unknown.filter((name) => !/-is-(?:textarea|input)$/.test(name))).toEqual([]);
    expect(styles.replace(/:where\(:root\)\{--lightningcss-[^}]*\}/, '')).not.toMatch(
      /:root|color-scheme/,
    );
    expect(styles).toMatch(/^@layer diktera\{.*\}$/s);
  });
});
