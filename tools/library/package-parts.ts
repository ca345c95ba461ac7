import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import type { Plugin, RolldownOutput } from 'rolldown';
import { MODEL_PACKAGE_PATH } from '../../src/core/speech/model-files.ts';
import { localCommand, run } from '../browsers.ts';

/** The project's own folder. */
export const ROOT = join(import.meta.dirname, '..', '..');

/** Where the library is built. */
export const LIBRARY = join(ROOT, 'dist', 'lib');

/** Puts the library's addresses in the place of those that Vite gives our own pages. */
export function libraryAddresses(): Plugin {
  return {
    name: 'diktera:library-addresses',
    resolveId(source) {
      const [, name] = /\/assets\/(addresses|file-reader)\.ts$/.exec(source) ?? [];
      return name ? join(ROOT, 'src', 'assets', `library-${name}.ts`) : null;
    },
  };
}

/** The packages that the pages and the library are built of. */
const SOURCES = ['src', 'workers', 'worklets'];

const IMPORT = /(?:from|import)\s*\(?\s*'((?:@[\w.-]+\/)?[\w-][\w.-]*)[/']/g;

/** The packages that the pages and the library import: their code is in what is built. */
export function importedPackages(): ReadonlySet<string> {
  const names = SOURCES.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:tsx?|css)$/.test(name))
      .flatMap((name) => {
        const text = readFileSync(join(ROOT, folder, name), 'utf8');
        return [...text.matchAll(IMPORT)].map(([, imported = '']) => imported);
      }),
  );
  return new Set(names);
}

/** The packages whose weights are in what is built for the pages and the library. */
export function modelPackages(): readonly string[] {
  return [MODEL_PACKAGE_PATH.split('/').slice(0, 2).join('/')];
}

const IN_PACKAGE = /node_modules\/((?:@[^/]+\/)?[^/]+)\//;

/** The packages whose files are in the package without being scripts. */
const OF_ASSETS = ['@echogarden/speex-resampler-wasm', ...modelPackages()];

/** The package brings its own licence, and not the one of the library that it is built from. */
const LIBOPUS = join(import.meta.dirname, 'libopus-licence.txt');

/** Writes down whose code and weights are in the library, and on what terms. */
export function writeLicences(outputs: readonly RolldownOutput[]): void {
  const modules = outputs.flatMap(({ output }) =>
    output.flatMap((part) => (part.type === 'chunk' ? Object.keys(part.modules) : [])),
  );
  const names = new Set(OF_ASSETS);
  for (const id of modules) {
    const name = IN_PACKAGE.exec(id)?.[1];
    if (name !== undefined) names.add(name);
  }
  const texts = [...names].sort().map(licenceOf);
  if (names.has('libopus-wasm')) texts.push(readFileSync(LIBOPUS, 'utf8').trim());
  writeFileSync(join(LIBRARY, 'LICENSES.txt'), `${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`);
}

function licenceOf(name: string): string {
  const folder = join(ROOT, 'node_modules', name);
  const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    version: string;
    license?: string;
  };
  if (!about.license) throw new Error(`${name} does not say its licence`);
  const head = `${name} ${about.version}, ${about.license}`;
  const file = readdirSync(folder).find((each) => /^(licen[cs]e|copying)/i.test(each));
  const path = join(folder, file ?? '');
  return file && existsSync(path) ? `${head}\n\n${readFileSync(path, 'utf8').trim()}` : head;
}

/** Where the compiler writes declarations, a folder for each of its projects. */
const COMPILED = join(ROOT, '.cache', 'types');

/** The adapters of editors, each an entry of its own. */
export const EDITOR_ENTRIES = Object.fromEntries(
  ['ckeditor', 'codemirror', 'custom', 'monaco', 'tinymce'].map(
    (name) => [`editors/${name}`, `src/editors/${name}.ts`] as const,
  ),
);

/** The declarations of each entry, and the module that they are of. */
const ENTRIES = {
  index: 'src/index.ts',
  attach: 'src/attach-dictation.tsx',
  react: 'src/react.ts',
  adapter: 'src/adapter.ts',
  events: 'src/dictation-events.ts',
  files: 'src/transcribe-file.ts',
  standalone: 'src/standalone.ts',
  ...EDITOR_ENTRIES,
};

const RELATIVE = /((?:from|import\()\s*['"])(\.[^'"]+)\.tsx?(['"])/g;

/** Writes the declarations of the entries and of all they name; every compiler resolves them. */
export async function writeTypes(): Promise<void> {
  const code = await run(localCommand('tsc'), ['-b', 'src']);
  if (code !== 0) throw new Error('The types are wrong');
  const folder = join(LIBRARY, 'types');
  const paths = new Set(Object.values(ENTRIES).map(withoutEnding));
  // A set goes on to what is added while it is gone through.
  for (const path of paths) {
    const text = readDeclaration(path);
    for (const [, , target = ''] of text.matchAll(RELATIVE)) {
      paths.add(normalize(join(dirname(path), target)));
    }
    const file = join(folder, `${path}.d.ts`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text.replace(RELATIVE, '$1$2.js$3'));
  }
  for (const [name, path] of Object.entries(ENTRIES)) {
    const file = join(folder, `${name}.d.ts`);
    const module = relative(dirname(file), join(folder, withoutEnding(path)));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `export * from '${module.replace(/^(?!\.)/, './')}.js';\n`);
  }
  // TypeScript 7 wants types of every import, a style sheet's too.
  writeFileSync(join(folder, 'no-exports.d.ts'), 'export {};\n');
}

function withoutEnding(path: string): string {
  return path.replace(/\.tsx?$/, '');
}

function readDeclaration(path: string): string {
  for (const project of readdirSync(COMPILED)) {
    try {
      return readFileSync(join(COMPILED, project, `${path}.d.ts`), 'utf8');
    } catch {
      // Another project's.
    }
  }
  throw new Error(`There is no declaration of ${path}`);
}
