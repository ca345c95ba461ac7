import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { inlineStyles, withStyles } from '../../tools/page-html.ts';

/** Two pages that share a sheet; the first brings a part later that shares one with it. */
const FILES: Readonly<Record<string, string>> = {
  'index.html':
    '<!doctype html>\n<html>\n  <head>\n    <title>x</title>\n  </head>\n  <body><script type="module" src="/index.js"></script></body>\n</html>\n',
  'other.html':
    '<!doctype html>\n<html>\n  <head>\n    <title>x</title>\n  </head>\n  <body><script type="module" src="/other.js"></script></body>\n</html>\n',
  'index.js':
    'import "./both.css"; import "./own.css"; import { word } from "./word.js"; console.info(word); import("./later.js");',
  'other.js': 'import "./both.css"; import { word } from "./word.js"; console.info(word, 2);',
  'later.js':
    'import "./own.css"; import "./later.css"; import { word } from "./word.js"; console.info(word, 3);',
  'word.js': 'import "./both.css"; export const word = Date.now();',
  'both.css': '.both { content: "$&" }',
  'own.css': '.own { top: 0 }',
  'later.css': '.later { left: 0 }',
};

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'diktera-styles-'));
  mkdirSync(join(folder, 'dist'));
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const read = (name: string) => readFileSync(join(folder, 'dist', name), 'utf8');

async function buildPages(): Promise<void> {
  await build({
    configFile: false,
    logLevel: 'silent',
    root: folder,
    plugins: [inlineStyles('index.html')],
    build: {
      rolldownOptions: { input: [join(folder, 'index.html'), join(folder, 'other.html')] },
    },
  });
}

test('the styles are in the page; the other page has them as files, and nothing else is left', async () => {
  await buildPages();
  const styles = [...read('index.html').matchAll(/<style>(.*?)<\/style>/g)].map(([, css]) => css);
  expect(styles.join('')).toContain('.both{content:"$&"}');
  expect(styles.join('')).toContain('.own{top:0}');
  expect(read('index.html')).not.toContain('stylesheet');
  const [, shared = ''] =
    /rel="stylesheet"[^>]*href="\/([^"]+\.css)"/.exec(read('other.html')) ?? [];
  expect(read(shared)).toContain('.both');
  const sheets = readdirSync(join(folder, 'dist/assets')).filter((name) => name.endsWith('.css'));
  expect(sheets.map((name) => read(`assets/${name}`)).join('')).not.toContain('.own');
});

test('what comes later asks for its own styles, and not for those of the page', async () => {
  await buildPages();
  const names = readdirSync(join(folder, 'dist/assets'));
  const scripts = names.filter((name) => name.endsWith('.js'));
  const code = scripts.map((name) => read(`assets/${name}`)).join('');
  const asked = [...code.matchAll(/assets\/([\w-]+\.css)/g)].map(([, name = '']) => name);
  expect(asked.map((name) => read(`assets/${name}`).trim())).toEqual(['.later{left:0}']);
});

test('styles that would end their element are refused', () => {
  const html = '    <link rel="stylesheet" crossorigin href="/assets/a.css">\n';
  expect(() => withStyles(html, () => 'p::before{content:"</STYLE>"}')).toThrow(
    'assets/a.css cannot be written into a page',
  );
});
