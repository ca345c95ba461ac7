import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  checkSizeBudget,
  firstFrameFiles,
  SCRIPT_BUDGET_BYTES,
  TOTAL_BUDGET_BYTES,
} from '../../tools/size-budget.ts';

let folder: string;

const FILES: Readonly<Record<string, string>> = {
  'index.html':
    '<link rel="manifest" href="/another.html"><link href="/icon.svg"><script type="module" src="/assets/index-a.js"></script><a href="/another.html">x</a>',
  'another.html': 'y',
  'icon.svg': '<svg/>',
  'assets/index-a.js': 'import{a}from"./react-b.js";import("./later-c.js");a()',
  'assets/react-b.js': 'import"./runtime-d.js";',
  'assets/runtime-d.js': ';',
  'assets/later-c.js': 'x'.repeat(900_000),
  'assets/dictation.worker-e.js': 'import{p}from"./parts-f.js";await import("./later-g.js")',
  'assets/parts-f.js': 'p',
  'assets/later-g.js': 'x'.repeat(900_000),
  'assets/silero-v6-fused-h.wasm': 'w'.repeat(900_000),
  'assets/silero-v6-fused-h.wasm.br': 'w'.repeat(1_000),
  'assets/capture.worklet-i.js': 'c',
  'assets/speex-resampler-simd-j.wasm': 's',
  'assets/opus.worker-later.js': 'o',
};

const write = (path: string, bytes: number) => writeFileSync(join(folder, path), 'x'.repeat(bytes));

beforeEach(() => {
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
  folder = mkdtempSync(join(tmpdir(), 'diktera-size-'));
  mkdirSync(join(folder, 'assets'));
  for (const [path, text] of Object.entries(FILES)) writeFileSync(join(folder, path), text);
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

test('counts what is fetched at once, compressed, with its imports, and nothing that comes later', () => {
  const files = firstFrameFiles(folder);
  const expected = Object.keys(FILES).filter((path) => !/later|another|\.br$/.test(path));
  expect(files.map(({ path }) => path).toSorted()).toEqual(expected.toSorted());
  expect(files.find(({ path }) => path.endsWith('h.wasm'))?.bytes).toBe(1_000);
  expect(() => checkSizeBudget(folder)).not.toThrow();
});

test('fails above the budget of all files', () => {
  write('assets/silero-v6-fused-h.wasm.br', TOTAL_BUDGET_BYTES);
  expect(() => checkSizeBudget(folder)).toThrow('The size budget is exceeded');
});

test('fails above the budget of the page’s script; the worker’s is not the page’s', () => {
  write('assets/dictation.worker-e.js', SCRIPT_BUDGET_BYTES + 1);
  expect(() => checkSizeBudget(folder)).not.toThrow();
  write('assets/runtime-d.js', SCRIPT_BUDGET_BYTES + 1);
  expect(() => checkSizeBudget(folder)).toThrow('The size budget is exceeded');
});

test('fails where libopus’s worker has grown, though it comes later', () => {
  write('assets/opus.worker-later.js', 190_001);
  expect(() => checkSizeBudget(folder)).toThrow('The size budget is exceeded');
});

test('fails when a file it must count is missing or there twice', () => {
  write('assets/dictation.worker-z.js', 1);
  expect(() => firstFrameFiles(folder)).toThrow('dictation');
  rmSync(join(folder, 'assets/dictation.worker-z.js'));
  rmSync(join(folder, 'assets/capture.worklet-i.js'));
  expect(() => firstFrameFiles(folder)).toThrow('capture');
});
