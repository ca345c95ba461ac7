import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What the build is made of. */
const SOURCES = [
  'src',
  'workers',
  'worklets',
  'server',
  'kernel',
  'tools',
  'public',
  'index.html',
  'benchmark.html',
  'package.json',
  'package-lock.json',
  'vite.config.ts',
];

/** Made by the build itself. */
const GENERATED = [
  join('public', 'models'),
  join('workers', 'audio', 'built'),
  join('server', 'dist'),
  join('server', 'node_modules'),
];

/** A hash over every source file's name and content: the build is up to date while it stays. */
export function sourceHash(): string {
  const hash = createHash('sha256');
  for (const path of SOURCES.flatMap(filesBelow)) hash.update(path).update(readFileSync(path));
  return hash.digest('hex');
}

function filesBelow(path: string): string[] {
  if (GENERATED.includes(path)) return [];
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return [];
  if (stats.isFile()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesBelow(join(path, name)));
}
