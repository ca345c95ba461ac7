import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nearTests } from '../../tools/testing/near-tests.ts';

const folder = mkdtempSync(join(tmpdir(), 'diktera-near-'));
const path = (name: string) => join(folder, name);

const FILES: Readonly<Record<string, string>> = {
  'src/core.ts': '',
  'src/field.ts': "import { x } from './core.ts';\nimport { y } from './circle.ts';",
  'src/circle.ts': "export { z } from './field.ts';",
  'src/late.ts': "const later = () => import('./core.ts');",
  'src/worker.ts': "import './core.ts';",
  'src/assets.ts': "new URL('./worker.ts', import.meta.url); import style from './style.css?url';",
  'tests/core.test.ts': "import { x } from '../src/core.ts';",
  'tests/field.test.tsx': "import { x } from '../src/field.ts';\nimport 'vitest';",
  'tests/late.test.ts': "import { x } from '../src/late.ts';",
  'tests/deep/assets.test.ts': "import { x } from '../../src/assets.ts';",
  'tests/other.test.ts': "import { x } from '../src/gone.ts';",
  'tests/helper.ts': "import { x } from '../src/core.ts';",
};

beforeAll(() => {
  for (const name of ['src', 'tests/deep', 'tests/pictures/core.test.ts']) {
    mkdirSync(path(name), { recursive: true });
  }
  for (const [name, text] of Object.entries(FILES)) writeFileSync(path(name), text);
});
afterAll(() => rmSync(folder, { recursive: true }));

const near = (...changed: readonly string[]) =>
  nearTests(path('tests'), changed.map(path)).map((each) => each.slice(path('tests/').length));

test('those that import what changed, the nearest first, whatever the kind of import', () => {
  expect(near('src/core.ts')).toEqual([
    'core.test.ts',
    'field.test.tsx',
    'late.test.ts',
    'deep/assets.test.ts',
  ]);
  expect(near('src/style.css')).toEqual(['deep/assets.test.ts']);
  expect(near('src/circle.ts')).toEqual(['field.test.tsx']);
});

test('a test that changed is the nearest of all, and one that imports nothing of it is none', () => {
  expect(near('tests/late.test.ts', 'src/field.ts')).toEqual(['late.test.ts', 'field.test.tsx']);
  expect(near('README.md')).toEqual([]);
});
