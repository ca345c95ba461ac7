import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import type { KernelWeightBits } from '../src/core/speech/kernel-format.ts';
import { compileKernels } from './kernel/compile.ts';
import { layoutOf, withWeights } from './kernel/weights.ts';
import { readVerifiedModel, writeWhole } from './model-assets.ts';
import { extractSilero } from './onnx/silero.ts';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Where src/assets names the files; Vite gives them hashed names. */
const BUILT = join(ROOT, 'workers', 'audio', 'built');

/** Files built before, by a hash of everything that goes into them. */
const CACHE = join(ROOT, '.cache', 'kernel');

/** The sources of the files, besides the model. */
const SOURCES = ['kernel/assembly', 'tools/kernel', 'tools/onnx'];
const SOURCE_FILES = ['tools/build-kernel.ts', 'src/core/speech/kernel-format.ts'];

export type KernelBuild = {
  /** @default 16, what is shipped; 32 shows what the rounding costs. */
  readonly bits?: KernelWeightBits;
  /** Multiplies and adds in one instruction, which not every browser has. @default false */
  readonly isFused?: boolean;
};

/**
 * A kernel with its weights: compiled and packed, or taken from the cache when nothing it is made
 * of has changed. Throws when the model is not the one we know, its graph not the one the kernel
 * was written for, or the kernel does not compile.
 */
export async function buildKernel(build: KernelBuild = {}): Promise<Uint8Array> {
  const { bits = 16 } = build;
  const modelFile = readVerifiedModel();
  const path = cachePath(`${nameOf(build)}-${bits}`, modelFile);
  if (existsSync(path)) return readFileSync(path);
  await compileMissing([build]);
  const code = readFileSync(codePath(build));
  const bytes = withWeights(code, layoutOf(extractSilero(modelFile)), bits);
  writeWhole(path, bytes);
  return bytes;
}

/** The code is kept by itself too: the same goes with the weights of every file and size. */
async function compileMissing(builds: readonly KernelBuild[]): Promise<void> {
  const missing = builds.filter((build) => !existsSync(codePath(build)));
  if (missing.length === 0) return;
  const sources = missing.map((build) => {
    const entry = 'kernel/assembly/silero.ts';
    return { entry, isFused: build.isFused ?? false, path: codePath(build) };
  });
  for (const { path, code } of await compileKernels(ROOT, sources)) writeWhole(path, code);
}

/** Builds the kernel in both ways, to where the worker finds them. */
export async function buildKernels(): Promise<void> {
  const builds = [false, true].map((isFused) => ({ isFused }));
  await compileMissing(builds);
  for (const build of builds) {
    writeWhole(join(BUILT, `${nameOf(build)}.wasm`), await buildKernel(build));
  }
}

function nameOf({ isFused }: KernelBuild): string {
  return `silero-v6${isFused ? '-fused' : ''}`;
}

function codePath(build: KernelBuild): string {
  return cachePath(`${nameOf(build)}-code`);
}

/** A name in the cache for what is made of the sources, and of `modelFile` if there is one. */
function cachePath(name: string, modelFile: Uint8Array = new Uint8Array()): string {
  return join(CACHE, `${name}-${hashOf(modelFile)}.wasm`);
}

/** Has the kernels ready before anything is served, built or tested. */
export function kernelAssets(): Plugin {
  return { name: 'diktera:kernel', config: () => buildKernels() };
}

function hashOf(modelFile: Uint8Array): string {
  const hash = createHash('sha256').update(modelFile);
  const compiler = join(ROOT, 'node_modules', 'assemblyscript', 'package.json');
  hash.update(readFileSync(compiler));
  const folders = SOURCES.flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .sort()
      .map((name) => join(folder, name)),
  );
  for (const path of [...folders, ...SOURCE_FILES]) {
    hash.update(path).update(readFileSync(join(ROOT, path)));
  }
  return hash.digest('hex').slice(0, 16);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildKernels();
