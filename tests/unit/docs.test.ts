import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');

/** Written by `npm run docs`, which knows its own links. */
const MADE = 'docs/api/library/';

const SKIPPED = /(?:^|\/)(?:node_modules|dist|\.git|\.cache|artifacts|built)$/;

function filesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (SKIPPED.test(path)) return [];
    return entry.isDirectory() ? [path, ...filesIn(path)] : [path];
  });
}

const files = filesIn('');

const pages = files.filter((path) => path.endsWith('.md') && !path.startsWith(MADE));

/** A path in backticks is meant from the root when it begins with one of its folders. */
const ROOTED =
  /`((?:src|workers|worklets|kernel|server|tools|tests|docs|deploy|examples|public)\/[^`\s:]*)`/g;

/** `*` stands for a part of a name; `.` ends a link to the root. */
function isThere(path: string): boolean {
  const clean = path.replace(/\/$/, '');
  if (clean === '.' || files.includes(clean)) return true;
  const escaped = clean.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*/g, '[^/]*');
  const pattern = new RegExp(`^${escaped}$`);
  // Prose leaves the end of a test's name out.
  return files.some(
    (file) => pattern.test(file) || pattern.test(file.replace(/\.test\.tsx?$/, '')),
  );
}

test.each(pages)('every path that %s names is there', (page) => {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const linked = [...text.matchAll(/\]\((?!https?:|mailto:|#)([^)#]+)(?:#[^)]*)?\)/g)].map(
    ([, path = '']) => join(dirname(page), path),
  );
  const rooted = [...text.matchAll(ROOTED)].map(([, path = '']) => path);
  const made = /^(tests\/artifacts|workers\/audio\/built|tests\/drivers|server\/node_modules)/;
  expect([...linked, ...rooted].filter((path) => !made.test(path) && !isThere(path))).toEqual([]);
});

type Manifest = {
  readonly files: readonly string[];
  readonly homepage: string;
  readonly bugs: string;
  readonly repository: { readonly url: string };
};

const manifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));

/** npm packs these whatever the list says. */
const ALWAYS_PACKED = ['README.md', 'LICENSE', 'package.json'];

test.each(['', 'server'])('the pages that are packed of ./%s link what is packed', (folder) => {
  const packed = [...ALWAYS_PACKED, ...manifest(folder).files].map((path) => join(folder, path));
  const isPacked = (path: string): boolean =>
    packed.some((each) => path === each || path.startsWith(`${each}/`));
  const dead = files
    .filter((path) => path.endsWith('.md') && isPacked(path))
    .flatMap((page) =>
      [...readFileSync(join(ROOT, page), 'utf8').matchAll(/\]\(([^)#]+)/g)].flatMap(
        ([, link = '']) =>
          URL.canParse(link) || isPacked(join(dirname(page), link)) ? [] : `${page}: ${link}`,
      ),
    );
  expect(dead).toEqual([]);
});

test('both packages name one place for their source and for reports', () => {
  for (const { homepage, bugs, repository } of [manifest(''), manifest('server')]) {
    const place = repository.url.replace(/^git\+|\.git$/g, '');
    expect(URL.canParse(place)).toBe(true);
    expect([homepage, bugs]).toEqual([`${place}#readme`, `${place}/issues`]);
  }
});

test.each(pages)('every anchor within the docs that %s links is there', (page) => {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const anchors = [...text.matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)];
  const missing = anchors.filter(([, path = '', anchor = '']) => {
    const target = path === '' ? page : join(dirname(page), path);
    const headings = readFileSync(join(ROOT, target), 'utf8').matchAll(/^#+ (.+)$/gm);
    const ids = [...headings].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} -]/gu, '')
        .replace(/ /g, '-'),
    );
    return !ids.includes(anchor);
  });
  expect(missing.map(([link]) => link)).toEqual([]);
});

test.each(pages)('every npm script that %s names is there', (page) => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const text = readFileSync(join(ROOT, page), 'utf8');
  const named = [...text.matchAll(/npm run (?:--silent )?([a-z0-9:-]+)/g)].map(([, name]) => name);
  expect(named.filter((name) => !(String(name) in scripts))).toEqual([]);
});

/** Tests are named by their folder within `tests`, alone or in a command, where braces list several. */
const TEST_NAME = /(?:`|tests\/)((?:unit|browser|faults|e2e)\/[a-z][^`\s]*)/g;

function expanded(name: string): string[] {
  const [, before = '', list = '', after = ''] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(name) ?? [];
  return list === '' ? [name] : list.split(',').map((part) => `${before}${part}${after}`);
}

test.each(pages)('every test that %s names is there', (page) => {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const named = [...text.matchAll(TEST_NAME)].flatMap(([, name = '']) => expanded(name));
  // `x` is any test, and a name that ends in a hyphen is all that begin so.
  const meant = named
    .filter((name) => !name.endsWith('/x.test.ts'))
    .map((name) => name.replace(/-$/, '-*'));
  expect(meant.filter((name) => !isThere(`tests/${name}`))).toEqual([]);
});

test('README and room READMEs stay short', () => {
  const lines = (page: string) => readFileSync(join(ROOT, page), 'utf8').trimEnd().split('\n');
  const readme = lines('README.md');
  expect(readme.length).toBeLessThanOrEqual(200);
  expect(readme.filter((line) => line.length > 120)).toEqual([]);
  const rooms = pages.filter((page) => /^(?!docs\/).+\/README\.md$/.test(page));
  expect(rooms.filter((page) => lines(page).length > 40)).toEqual([]);
});

test('comments begin with their subject', () => {
  const indirect = /^\s*(?:\/\*\*|\/\/|\*) ?(?:What|Whether|Who|How|So) /m;
  const paths = files.filter((path) => /\.tsx?$/.test(path)).map((path) => join(ROOT, path));
  // The pictures of a test lie in a folder of its name.
  const code = paths.filter((path) => statSync(path).isFile());
  const found = code.filter((path) => indirect.test(readFileSync(path, 'utf8')));
  expect(found).toEqual([]);
});
