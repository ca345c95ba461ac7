import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { localCommand } from '../../tools/browsers.ts';
import { entryBytes } from '../../tools/library/build-library.ts';
import { API_DOCS, makeApiDocs } from '../../tools/make-api-docs.ts';
import { installExample } from './helpers/example.ts';

const exec = promisify(execFile);

const GUIDE = 'docs/embedding.md';

/** The file of each row in the guide's table of imports. */
const FILES: Readonly<Record<string, string>> = {
  diktera: 'index.js',
  'diktera/attach': 'attach.js',
  'diktera/react': 'react.js',
  'diktera/editors/*': 'editors/ckeditor.js',
  'diktera/adapter': 'adapter.js',
  'diktera/events': 'events.js',
  'diktera/files': 'files.js',
  'diktera/styles.css': 'styles.css',
  'diktera/standalone': 'standalone.js',
  'diktera/diktera.js': 'diktera.js',
};

/** A size as one reads it: not off by more than 4 %. */
function expectNear(told: number, real: number): void {
  expect(Math.abs(told - real), `${told}, and it is ${real}`).toBeLessThanOrEqual(0.04 * real);
}

async function bytesBelow(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  const sizes = await Promise.all(names.map((name) => stat(join(folder, name))));
  return sizes.reduce((sum, each) => sum + (each.isFile() ? each.size : 0), 0);
}

async function filesIn(folder: string): Promise<Readonly<Record<string, string>>> {
  const names = (await readdir(folder)).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return Object.fromEntries(names.map((name, at) => [name, texts[at] ?? '']));
}

describe('the tarball', () => {
  test('publint finds nothing', async () => {
    const tarball = (await readFile(inject('tarball'))).buffer as ArrayBuffer;
    const { messages, pkg } = await publint({ pack: { tarball }, level: 'suggestion' });
    expect(messages.map((each) => formatMessage(each, pkg))).toEqual([]);
  });

  test('its types are found by every compiler that reads modules', async () => {
    const args = [inject('tarball'), '--profile', 'esm-only', '--format', 'ascii', '--no-emoji'];
    // Exports without types: files to fetch, styles, and the script for plain pages.
    const files = ['styles.css', 'worker', 'worklet', 'diktera.js', 'package.json'];
    // Its exit code says whether it found anything; `exec` rejects with what that is.
    const { stdout } = await exec(localCommand('attw'), [
      ...args,
      '--exclude-entrypoints',
      ...files,
    ]);
    for (const entry of [
      '"diktera"',
      '"diktera/attach"',
      '"diktera/react"',
      '"diktera/standalone"',
      '"diktera/editors/monaco"',
      '"diktera/files"',
    ]) {
      expect(stdout).toContain(entry);
    }
  });

  test('its types need no others: no @types/react, and the styles have some', async () => {
    const { folder } = await installExample('plain');
    await writeFile(
      join(folder, 'page.ts'),
      `import { createDictation, DikteraError } from 'diktera';
       import { attachDictation, canDictate } from 'diktera/attach';
       import { type FileTranscript, transcribe } from 'diktera/files';
       import { attachDictation as alone } from 'diktera/standalone';
       import 'diktera/styles.css';
       import 'diktera/diktera.js';
       alone(document.querySelector('textarea'), { language: 'en' });
       for (const element of document.querySelectorAll('textarea'))
         if (canDictate(element)) attachDictation(element, { language: 'sv', fast: true })();
       // @ts-expect-error: misspelt
       alone(document.body, { languge: 'sv' });
       export const dictation = createDictation({ account: null });
       export const written: Promise<FileTranscript> = transcribe(new Blob(), { language: 'sv' });
       // @ts-expect-error: misspelt
       void transcribe(new Blob(), { languge: 'sv' });
       export { DikteraError };`,
    );
    const how = ['--strict', '--noEmit', '--exactOptionalPropertyTypes', '--types', ''];
    const modules = ['--module', 'nodenext', '--target', 'es2022', '--lib', 'es2022,dom'];
    await exec(resolve(localCommand('tsc')), [...how, ...modules, 'page.ts'], { cwd: folder });
  });

  test('in an empty project: at most 15 MB, and no package besides', async () => {
    const { folder } = await installExample('plain');
    const packages = await readdir(join(folder, 'node_modules'));
    expect(packages.filter((name) => !name.startsWith('.'))).toEqual(['diktera']);
    const bytes = await bytesBelow(join(folder, 'node_modules', 'diktera'));
    console.log(`diktera in an empty project: ${(bytes / 1e6).toFixed(1)} MB`);
    expect(bytes).toBeLessThanOrEqual(15e6);
    const [, told] =
      /comes with it, ([\d.]+) MB unpacked/.exec(await readFile(GUIDE, 'utf8')) ?? [];
    expectNear(Number(told) * 1e6, bytes);
  });

  test('each of its entries can be imported where there is no page, or required', async () => {
    const { folder } = await installExample('vite');
    const { exports } = JSON.parse(await readFile('package.json', 'utf8')) as {
      readonly exports: Readonly<Record<string, unknown>>;
    };
    const entries = Object.keys(exports)
      .filter((name) => !/css$|json$|worker$|worklet$|\*/.test(name))
      .map((name) => `diktera${name.slice(1)}`);
    expect(entries).toContain('diktera/react');
    const script = `
      const entries = ${JSON.stringify(entries)};
      Promise.all(entries.map((entry) => import(entry))).then((modules) => {
        // Of Node 20.19 and later.
        for (const entry of entries) require(entry);
        console.log(modules.length);
      });`;
    const { stdout, stderr } = await exec(process.execPath, ['-e', script], { cwd: folder });
    expect([stdout, stderr]).toEqual([`${entries.length}\n`, '']);
  });
});

test('the guide tells the sizes that the entries have', async () => {
  const rows = (await readFile(GUIDE, 'utf8')).matchAll(
    /^\| `(diktera[^`]*)` \| .* \| ([\d.]+) kB \|$/gm,
  );
  const told = new Map([...rows].map(([, entry = '', kilobytes]) => [entry, Number(kilobytes)]));
  expect([...told.keys()]).toEqual(Object.keys(FILES));
  for (const [entry, kilobytes] of told)
    expectNear(kilobytes * 1e3, entryBytes(FILES[entry] ?? ''));
});

test('docs/api/library says what the declarations say (npm run docs)', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'diktera-docs-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await makeApiDocs(folder);
  expect(await filesIn(API_DOCS)).toEqual(await filesIn(folder));
});
