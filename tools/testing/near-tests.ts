import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^']+)'/g;
const ADDRESS = /new URL\(\s*'(\.[^']+)',\s*import\.meta\.url/g;

/**
 * The test files below a folder that import what changed, nearest first: by how many imports lie
 * between.
 */
export function nearTests(folder: string, changed: readonly string[]): readonly string[] {
  const wanted = new Set(changed.map((path) => normalize(path)));
  const known = new Map<string, readonly string[]>();
  return testsBelow(folder)
    .map((path) => ({ path, distance: distanceTo(path, wanted, known) }))
    .filter(({ distance }) => distance < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.distance - b.distance)
    .map(({ path }) => path);
}

function testsBelow(folder: string): readonly string[] {
  return (
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.test\.tsx?$/.test(name))
      .map((name) => join(folder, name))
      // Pictures are in folders that are called as their tests.
      .filter((path) => statSync(path).isFile())
      .sort()
  );
}

/** The number of imports from a file to the nearest of those wanted; infinite when none leads there. */
function distanceTo(
  start: string,
  wanted: ReadonlySet<string>,
  known: Map<string, readonly string[]>,
): number {
  const seen = new Set([start]);
  let at: readonly string[] = [start];
  for (let distance = 0; at.length > 0; distance += 1) {
    if (at.some((path) => wanted.has(path))) return distance;
    const next = new Set(at.flatMap((path) => importsOf(path, known)));
    at = [...next].filter((path) => !seen.has(path));
    for (const path of at) seen.add(path);
  }
  return Number.POSITIVE_INFINITY;
}

/** The files of this project that a file imports, or names by address. */
function importsOf(path: string, known: Map<string, readonly string[]>): readonly string[] {
  const found = known.get(path);
  if (found) return found;
  const text = /\.tsx?$/.test(path) && existsSync(path) ? readFileSync(path, 'utf8') : '';
  const imports = [...text.matchAll(IMPORT), ...text.matchAll(ADDRESS)].map(([, address = '']) =>
    normalize(join(dirname(path), address.replace(/\?.*$/, ''))),
  );
  known.set(path, imports);
  return imports;
}
