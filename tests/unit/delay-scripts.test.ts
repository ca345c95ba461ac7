import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { delayScripts } from '../../tools/page-html.ts';

let folder: string;

const FILES: Readonly<Record<string, string>> = {
  'index.html': `<head>
    <link rel="icon" href="/icon.svg" />
    <script type="module" crossorigin src="/assets/index-a.js"></script>
    <link rel="modulepreload" crossorigin href="/assets/runtime-b.js">
    <style>p::before{content:"$&"}</style>
    <link rel="modulepreload" crossorigin href="/assets/react-c.js">
  </head>
  <body>
    <p>$& drawn</p>
  </body>
`,
  'assets/index-a.js': 'import"./runtime-b.js";import("./react-c.js")',
  'assets/runtime-b.js': ';',
  'assets/react-c.js': ';',
};

const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
const page = () => readFileSync(join(folder, 'index.html'), 'utf8');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'diktera-delay-'));
  mkdirSync(join(folder, 'assets'));
  for (const [name, text] of Object.entries(FILES)) write(name, text);
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

test('scripts wait at the end: what runs first, with what it imports, apart from the others', () => {
  delayScripts(folder);
  const [head = '', body = ''] = page().split('</head>');
  expect(head).not.toContain('.js');
  const waiting = [...body.matchAll(/<template class="later">(.*?)<\/template>/g)].map(
    ([, tags = '']) => [...tags.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path),
  );
  expect(waiting).toEqual([['/assets/index-a.js', '/assets/runtime-b.js'], ['/assets/react-c.js']]);
  expect(body).toMatch(/<\/template><script>[^<]+<\/script>\s*<\/body>/);
});

test('what else is in the page stays as it was', () => {
  delayScripts(folder);
  expect(page()).toContain('<link rel="icon" href="/icon.svg" />');
  expect(page()).toContain('<style>p::before{content:"$&"}</style>');
  expect(page()).toContain('<p>$& drawn</p>');
});

test.each([
  ['two scripts', (html: string) => html.replace('</head>', () => `${SECOND}  </head>`)],
  ['no script', (html: string) => html.replace(/ *<script.*\n/, '')],
])('a page with %s is none of ours', (_, change) => {
  write('index.html', change(page()));
  expect(() => delayScripts(folder)).toThrow('has not one script');
});

const SECOND = '<script type="module" crossorigin src="/assets/react-c.js"></script>\n';
