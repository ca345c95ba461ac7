import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import type { PrecacheEntry } from 'workbox-precaching';
import { sumOfWireBytes, type WireFile, wireFile } from './size-budget.ts';

const ENTRY = 'workers/service.worker.ts';

/** Beside the pages: a service worker serves what lies below its own address. */
const SERVICE_WORKER = 'service-worker.js';

const PAGES = ['index.html', 'benchmark.html'];

/**
 * The files that open without a network: both pages and all they run. Not the engine that stands in for the
 * kernel, with its models, nor Opus for browsers that have none: 18 MB and 181 kB that almost nobody
 * needs, and without them speech is kept as well.
 */
const KEPT = /^(?:[^/]+\.(?:html|svg|wav)|assets\/(?!ort|opus)[^/]+\.(?:js|css|wasm))$/;

/** Names that hold a hash of what is in the file. */
const HASHED = /^assets\//;

/**
 * Names the build's version in its pages, and makes the service worker that keeps them: it lists
 * every file with its hash, by which Workbox keeps nothing that is damaged or half deployed.
 *
 * `version` is what people and tabs tell builds apart by.
 * @default the package's version and a hash over the files
 */
export async function makeServiceWorker(webRoot: string, version?: string): Promise<void> {
  const named = version ?? versionOf(webRoot);
  for (const page of PAGES) nameVersion(join(webRoot, page), named);
  await bundle(join(webRoot, SERVICE_WORKER), { version: named, entries: entriesOf(webRoot) });
  dropCompressed(join(webRoot, SERVICE_WORKER));
}

/** The bytes over the wire of all that the service worker of `webRoot` stores. */
function keptFiles(webRoot: string): readonly WireFile[] {
  const script = readFileSync(join(webRoot, SERVICE_WORKER), 'utf8');
  const paths = [...script.matchAll(/url["']?:(["'`])(.+?)\1/g)].map(([, , path = '']) => path);
  return [...new Set(paths)].map((path) => wireFile(webRoot, path));
}

/** Prints what is kept for opening without a network, and throws when that is over its budget. */
export function checkKeptBudget(webRoot: string, budgetBytes = KEPT_BUDGET_BYTES): void {
  const files = keptFiles(webRoot);
  const bytes = sumOfWireBytes(files);
  console.log(
    `Kept for opening without a network: ${files.length} files, ${bytes} of ${budgetBytes} bytes over the wire`,
  );
  if (files.length === 0) throw new Error('The service worker keeps nothing');
  if (bytes > budgetBytes) throw new Error('What is kept is too much (tools/service-worker.ts)');
}

/** Fetched once, in quiet moments; what the first visit had is mostly in the browser's cache. */
const KEPT_BUDGET_BYTES = 2_400_000;

/** In the order of their names. The integrity is what a browser compares with what it gets. */
function entriesOf(webRoot: string): readonly PrecacheEntry[] {
  const paths = readdirSync(webRoot, { recursive: true, encoding: 'utf8' });
  const kept = paths.map((path) => path.replaceAll('\\', '/')).filter((path) => KEPT.test(path));
  return kept.sort().map((url) => {
    const hash = createHash('sha256')
      .update(readFileSync(join(webRoot, url)))
      .digest('base64');
    return { url, revision: HASHED.test(url) ? null : hash, integrity: `sha256-${hash}` };
  });
}

function versionOf(webRoot: string): string {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const hash = createHash('sha256').update(JSON.stringify(entriesOf(webRoot)));
  return `${version}+${hash.digest('hex').slice(0, 8)}`;
}

const VERSION_TAG = /(<meta name="diktera-version" content=")[^"]*(">)/;

/** A build that is named anew keeps its other files. */
function nameVersion(path: string, version: string): void {
  const html = readFileSync(path, 'utf8');
  const tag = `<meta name="diktera-version" content="${version}">`;
  writeFileSync(
    path,
    VERSION_TAG.test(html)
      ? html.replace(VERSION_TAG, tag)
      : html.replace('  </head>', `    ${tag}\n  </head>`),
  );
  dropCompressed(path);
}

/**
 * Deletes compressed files of an earlier build: the server would send them in place of the new
 * ones.
 */
function dropCompressed(path: string): void {
  for (const ending of ['br', 'gz']) rmSync(`${path}.${ending}`, { force: true });
}

/** One plain script: not every browser takes a module here. */
async function bundle(
  file: string,
  { version, entries }: { readonly version: string; readonly entries: readonly PrecacheEntry[] },
): Promise<void> {
  const build = await rolldown({
    input: ENTRY,
    platform: 'browser',
    transform: {
      target: 'es2022',
      define: {
        BUILD_VERSION: JSON.stringify(version),
        'self.__WB_MANIFEST': JSON.stringify(entries),
        'process.env.NODE_ENV': '"production"',
      },
    },
  });
  try {
    await build.write({ file, format: 'iife', minify: true, codeSplitting: false });
  } finally {
    await build.close();
  }
}
