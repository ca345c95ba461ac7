import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/**
 * Which room may import which others. A room may always import itself; a file belongs to the
 * innermost room around it, so that `src` is the entries: the files beside its rooms.
 */
const RULES: Readonly<Record<string, readonly string[]>> = {
  'src/core': [],
  'src/core/audio': ['src/core'],
  'src/core/text': ['src/core'],
  'src/core/speech': ['src/core', 'src/core/audio'],
  'src/core/options': ['src/core', 'src/core/audio', 'src/core/speech'],
  'src/core/queue': ['src/core', 'src/core/audio', 'src/core/options'],
  'src/core/recordings': ['src/core', 'src/core/audio', 'src/core/options', 'src/core/queue'],
  'src/core/session': [
    'src/core',
    'src/core/audio',
    'src/core/speech',
    'src/core/options',
    'src/core/queue',
    'src/core/recordings',
  ],
  'src/core/contracts': ['src/core/**'],
  'src/platform': ['src/core/**'],
  'src/assets': ['src/core/**', 'workers/**', 'worklets'],
  'src/files': ['src/core/**', 'src/platform', 'src/assets'],
  'src/capture': ['src/core/**', 'src/platform', 'src/assets'],
  'src/client': ['src/core/**', 'src/platform', 'src/assets'],
  'src/field': ['src/core/**'],
  'src/editors': ['src/core/**', 'src/field'],
  'src/widget': ['src/core/**', 'src/platform', 'src/assets', 'src/field'],
  src: [
    'src/core/**',
    'src/platform',
    'src/assets',
    'src/capture',
    'src/client',
    'src/field',
    'src/files',
    'src/widget',
  ],
  'src/page': [
    'src',
    'src/core/**',
    'src/platform',
    'src/capture',
    'src/field',
    'src/files',
    'src/widget',
  ],
  'src/benchmark': [
    'src/core/**',
    'src/platform',
    'src/assets',
    'src/field',
    'src/widget',
    'workers',
  ],
  'src/extension': ['src', 'src/core/**', 'src/platform', 'src/field', 'src/widget'],
  'workers/http': ['src/core/**', 'src/platform'],
  'workers/audio': ['src/core/**', 'src/platform', 'src/assets', 'workers/http'],
  'workers/store': ['src/core/**', 'src/platform'],
  'workers/upload': ['src/core/**', 'src/platform', 'workers/store'],
  'workers/recordings': ['src/core/**', 'src/platform', 'workers/store', 'workers/upload'],
  'workers/offline': ['src/core/**', 'src/platform', 'workers/store', 'workers/upload'],
  'workers/session': [
    'src/core/**',
    'src/platform',
    'workers/store',
    'workers/upload',
    'workers/recordings',
    'workers/audio',
  ],
  workers: ['src/core/**', 'src/platform', 'src/assets', 'workers/**'],
  worklets: ['src/core/**'],
  'server/core': ['src/core/**'],
  'server/children': [],
  'server/access': ['src/core/**', 'server/core'],
  'server/scheduling': ['src/core/**', 'server/core'],
  'server/answers': ['src/core/**', 'server/core'],
  'server/audio': ['src/core/**', 'server/core', 'server/children', 'server/scheduling'],
  'server/engine': [
    'src/core/**',
    'server/core',
    'server/children',
    'server/scheduling',
    'server/audio',
  ],
  'server/text': ['src/core/**', 'server/core', 'server/children'],
  'server/models': [
    'src/core/**',
    'server/core',
    'server/children',
    'server/engine',
    'server/models/**',
  ],
  'server/models/convert': ['server/children', 'server/models/layout'],
  'server/models/download': ['server/models/layout'],
  'server/models/layout': [],
  'server/config': [
    'src/core/**',
    'server/core',
    'server/access',
    'server/engine',
    'server/models',
  ],
  'server/commands': [
    'src/core/**',
    'server/core',
    'server/audio',
    'server/engine',
    'server/config',
    'server/models/**',
    'server/text',
    'server/transcription',
  ],
  'server/http': ['src/core/**', 'server/core', 'server/access', 'server/scheduling'],
  'server/telemetry': ['server/core', 'server/config', 'server/http'],
  'server/transcription': [
    'src/core/**',
    'server/core',
    'server/scheduling',
    'server/audio',
    'server/engine',
    'server/text',
    'server/telemetry',
  ],
  'server/operations': [
    'src/core/**',
    'server/core',
    'server/scheduling',
    'server/answers',
    'server/engine',
    'server/http',
    'server/transcription',
  ],
  'server/realtime': ['src/core/**', 'server/core', 'server/scheduling'],
  'server/pages': ['src/core/**', 'server/core', 'server/access', 'server/http'],
  'server/routes': [
    'src/core/**',
    'server/core',
    'server/access',
    'server/scheduling',
    'server/answers',
    'server/audio',
    'server/engine',
    'server/text',
    'server/http',
    'server/transcription',
    'server/realtime',
    'server/operations',
    'server/models/**',
  ],
  server: ['src/core/**', 'server/**'],
  tools: ['src/core/**', 'tools/kernel', 'tools/onnx'],
  'tools/onnx': [],
  'tools/kernel': ['src/core/**', 'tools/onnx'],
  'tools/vad': ['src/core/**', 'src/platform', 'tools', 'workers/**', 'worklets'],
  'tools/whisper-cpp': ['tools'],
};

/**
 * These rooms are known as an address only: a bundler's `?worker&url` or `new URL(...,
 * import.meta.url)`.
 */
const ADDRESS_ONLY = ['worklets', 'workers/**'];
const ADDRESS_FROM = new Set(['src/assets', 'src/benchmark', 'src/page']);

/** These rooms share the look of the interface and nothing else of it. */
const STYLES_FROM = new Set(['src/benchmark']);

type Import = { readonly file: string; readonly target: string; readonly isAddress: boolean };

const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^']+)'/g;
const ADDRESS = /new URL\(\s*'(\.[^']+)',\s*import\.meta\.url/g;

function sourceFiles(room: string): string[] {
  const names = readdirSync(join(ROOT, room), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(room, name))
    .filter((file) => roomOf(file) === room);
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const found = [...text.matchAll(IMPORT)].map(([, path = '']) => ({
    path,
    isAddress: path.endsWith('?worker&url') || path.endsWith('?url'),
  }));
  const addresses = [...text.matchAll(ADDRESS)].map(([, path = '']) => ({ path, isAddress: true }));
  return [...found, ...addresses].map(({ path, isAddress }) => ({
    file,
    target: relative(ROOT, normalize(join(ROOT, dirname(file), path.replace(/\?.*$/, '')))),
    isAddress,
  }));
}

function roomOf(path: string): string {
  const rooms = Object.keys(RULES).sort((a, b) => b.length - a.length);
  return rooms.find((room) => path === room || path.startsWith(`${room}/`)) ?? 'outside';
}

/** `a/**` stands for the room `a` with all rooms in it. */
function covers(allowed: string, room: string): boolean {
  if (!allowed.endsWith('/**')) return allowed === room;
  return `${room}/`.startsWith(allowed.slice(0, -2));
}

function isAllowed(room: string, { target, isAddress }: Import): boolean {
  const targetRoom = roomOf(target);
  if (targetRoom === room) return true;
  // An address outside of all rooms is a folder that is served, not code.
  if (targetRoom === 'outside' && isAddress) return true;
  if (target.endsWith('assets.d.ts')) return true;
  // The tests' page is built as ours is.
  if (room === 'tools' && target === 'vite.config.ts') return true;
  if (!RULES[room]?.some((allowed) => covers(allowed, targetRoom))) return false;
  if (STYLES_FROM.has(room) && targetRoom === 'src/widget') return target.endsWith('.css');
  const isAddressOnly = ADDRESS_ONLY.some((only) => covers(only, targetRoom));
  return isAddressOnly && ADDRESS_FROM.has(room) ? isAddress : true;
}

/** Those that import each other in a ring, types too; empty when there is none. */
function ringAmong(imports: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const known = new Set<string>();
  const visit = (name: string, path: readonly string[]): readonly string[] => {
    const at = path.indexOf(name);
    if (at >= 0) return path.slice(at);
    if (known.has(name)) return [];
    for (const target of imports.get(name) ?? []) {
      const ring = visit(target, [...path, name]);
      if (ring.length > 0) return ring;
    }
    known.add(name);
    return [];
  };
  for (const name of imports.keys()) {
    const ring = visit(name, []);
    if (ring.length > 0) return ring;
  }
  return [];
}

describe('who may import whom', () => {
  test.each(Object.keys(RULES))('%s keeps the rule', (room) => {
    const files = sourceFiles(room);
    const wrong = files.flatMap(importsOf).filter((found) => !isAllowed(room, found));
    expect(wrong).toEqual([]);
    expect(files.length).toBeGreaterThan(0);
  });

  test('no files import each other in a ring', () => {
    const files = Object.keys(RULES).flatMap(sourceFiles);
    const code = (file: string) => importsOf(file).filter(({ isAddress }) => !isAddress);
    const imports = new Map(files.map((file) => [file, code(file).map(({ target }) => target)]));
    expect(ringAmong(imports)).toEqual([]);
  });

  test('no rooms may import each other in a ring', () => {
    const rooms = Object.keys(RULES);
    const mayImport = (room: string, other: string) => {
      if (other === room || !RULES[room]?.some((allowed) => covers(allowed, other))) return false;
      return !(ADDRESS_FROM.has(room) && ADDRESS_ONLY.some((only) => covers(only, other)));
    };
    const allowed = rooms.map(
      (room) => [room, rooms.filter((other) => mayImport(room, other))] as const,
    );
    expect(ringAmong(new Map(allowed))).toEqual([]);
  });

  test('a ring would be seen', () => {
    const imports = new Map([
      ['entry', ['a']],
      ['a', ['b', 'leaf']],
      ['b', ['leaf', 'c']],
      ['c', ['a']],
    ]);
    expect(ringAmong(imports)).toEqual(['a', 'b', 'c']);
    imports.set('c', ['leaf']);
    expect(ringAmong(imports)).toEqual([]);
  });

  test('a forbidden import would be seen', () => {
    const forbidden = { file: 'src/core/x.ts', target: 'src/page/App.tsx', isAddress: false };
    expect(isAllowed('src/core', forbidden)).toBe(false);
    const upward = {
      file: 'src/core/audio/x.ts',
      target: 'src/core/session/snapshot.ts',
      isAddress: false,
    };
    expect(isAllowed('src/core/audio', upward)).toBe(false);
    expect(isAllowed('src/core/contracts', upward)).toBe(true);
    expect(isAllowed('tools', { ...upward, target: 'workers/session/session.ts' })).toBe(false);
    expect(isAllowed('server/core', { ...upward, target: 'server/http/stop.ts' })).toBe(false);
    expect(isAllowed('server/routes', { ...upward, target: 'server/app.ts' })).toBe(false);
    const asCode = { file: 'src/client/x.ts', target: 'workers/session.ts', isAddress: false };
    expect(isAllowed('src/client', asCode)).toBe(false);
    expect(isAllowed('src/client', { ...asCode, isAddress: true })).toBe(false);
    expect(isAllowed('src/assets', { ...asCode, isAddress: true })).toBe(true);
    expect(isAllowed('src/assets', { ...asCode, target: 'workers/audio/x.ts' })).toBe(false);
    expect(isAllowed('src/assets', asCode)).toBe(false);
    expect(isAllowed('src/benchmark', forbidden)).toBe(false);
    expect(isAllowed('src/benchmark', { ...forbidden, target: 'src/widget/styles/a.css' })).toBe(
      true,
    );
  });
});
