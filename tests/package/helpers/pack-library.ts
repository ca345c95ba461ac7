import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The absolute path of the library's tarball. */
    readonly tarball: string;
  }
}

/** Packs the library as it was built, once for all tests of it. */
export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'diktera-pack-'));
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const output = execFileSync('npm', args, { encoding: 'utf8' });
  const [packed] = JSON.parse(output) as readonly { readonly filename: string }[];
  if (!packed) throw new Error('npm pack made nothing');
  project.provide('tarball', join(folder, packed.filename));
  return () => rmSync(folder, { recursive: true });
}
