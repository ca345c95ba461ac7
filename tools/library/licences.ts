import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RolldownOutput } from 'rolldown';
import { modelPackages } from './built-in-packages.ts';
import { LIBRARY, ROOT } from './paths.ts';

const IN_PACKAGE = /node_modules\/((?:@[^/]+\/)?[^/]+)\//;

/** Whose files are in the package without being scripts. */
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
