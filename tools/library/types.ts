import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { localCommand, run } from '../run.ts';
import { LIBRARY, ROOT } from './paths.ts';

/** Where the compiler writes declarations, a folder for each of its projects. */
const COMPILED = join(ROOT, '.cache', 'types');

/** The declarations of each entry, and the module that they are of. */
const ENTRIES = {
  index: 'src/index.ts',
  attach: 'src/attach-dictation.tsx',
  react: 'src/react.ts',
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
    writeFileSync(join(folder, `${name}.d.ts`), `export * from './${withoutEnding(path)}.js';\n`);
  }
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
