import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'vite';
import { say } from './browsers.ts';
import { buildServer } from './build-server.ts';
import { buildLibrary, serveLibrary } from './library/build-library.ts';
import { delayScripts, prerender } from './page-html.ts';
import { checkKeptBudget, makeServiceWorker } from './service-worker.ts';
import { checkSizeBudget } from './size-budget.ts';

const IMPORTED_WORKER = /\b(?:from|import)\s*\(?\s*["'`]\.\/([\w-]+\.worker-[^"'`]+)["'`]/;

/**
 * Throws when a script imports a worker's own file. WebKit runs that again then: two workers in one
 * would hear each message, and the one that knows of nothing answers first.
 */
function checkWorkerFiles(webRoot: string): void {
  const folder = join(webRoot, 'assets');
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.js'))) {
    const [, worker] = IMPORTED_WORKER.exec(readFileSync(join(folder, name), 'utf8')) ?? [];
    if (worker) throw new Error(`${name} imports ${worker}, which WebKit would run twice`);
  }
}

/** The sources of the build. */
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

const COMPRESSIBLE = new Set([
  '.html',
  '.js',
  '.mjs',
  '.css',
  '.svg',
  '.json',
  '.wasm',
  '.onnx',
  '.weights',
]);
/**
 * Quality 11 takes half a minute on the 14 MB fallback runtime for 10 % less: not worth it there.
 */
const LARGE_FILE_BYTES = 4_000_000;

/**
 * In blocks as brotli chooses them the kernel takes 399 or 403 kB, by where in them its weights begin.
 */
const ONE_BLOCK = { [constants.BROTLI_PARAM_LGBLOCK]: constants.BROTLI_MAX_INPUT_BLOCK_BITS };

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

/** Puts a `.br` and a `.gz` beside every file worth it, for the server to send as they are. */
export async function compressFiles(folder: string): Promise<void> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const paths = names
    .filter((name) => COMPRESSIBLE.has(extname(name)))
    .map((name) => join(folder, name));
  await Promise.all(paths.map(compressFile));
}

async function compressFile(path: string): Promise<void> {
  const bytes = readFileSync(path);
  const quality = bytes.length > LARGE_FILE_BYTES ? 6 : 11;
  const [brotli, gzipped] = await Promise.all([
    toBrotli(bytes, { params: { ...ONE_BLOCK, [constants.BROTLI_PARAM_QUALITY]: quality } }),
    toGzip(bytes, { level: 9 }),
  ]);
  writeFileSync(`${path}.br`, brotli);
  writeFileSync(`${path}.gz`, gzipped);
}

/**
 * Makes `dist/lib` (the package for those who embed), `dist/web` (the pages, compressed too, with
 * the library for pages elsewhere) and `dist/server` (the server, its child processes and its
 * thread).
 */
async function buildAll(): Promise<void> {
  // A test runner has named its own, and libraries would be built as for development.
  process.env.NODE_ENV = 'production';
  rmSync('dist', { recursive: true, force: true });
  await build({ logLevel: 'warn' });
  rmSync('dist/web/README.md'); // It is about public/, for those who build.
  await prerender('dist/web');
  delayScripts('dist/web');
  await makeServiceWorker('dist/web');
  await buildLibrary();
  serveLibrary('dist/web');
  await compressFiles('dist/web');
  checkSizeBudget('dist/web');
  checkWorkerFiles('dist/web');
  checkKeptBudget('dist/web');
  await buildServer('dist/server');
  copyEnglishModel();
}

/**
 * The server's English model comes with its build: only its files are needed of its package, which
 * would bring an engine for browsers and one for graphics cards to whoever installs the server.
 */
function copyEnglishModel(): void {
  const from = 'node_modules/@moonshine-ai/moonshine-js';
  const to = 'dist/server/models';
  cpSync(join(from, 'dist/model/tiny/quantized'), to, { recursive: true });
  cpSync(join(from, 'LICENSE'), join(to, 'LICENSE'));
  // It finds the turns of realtime connections.
  cpSync('workers/audio/built/silero-v6.wasm', join(to, 'silero-v6.wasm'));
}

const STAMP_PATH = 'dist/source-hash.txt';

/** Builds for production unless what stands in `dist` was made from these very sources. */
export async function buildIfNeeded(): Promise<void> {
  const wanted = sourceHash();
  if (existsSync(STAMP_PATH) && readFileSync(STAMP_PATH, 'utf8') === wanted) {
    say('The build is up to date');
    return;
  }
  await buildAnew();
}

/** Builds for production, and notes from which sources. */
export async function buildAnew(): Promise<void> {
  const wanted = sourceHash();
  say('Building');
  await buildAll();
  writeFileSync(STAMP_PATH, wanted);
}
