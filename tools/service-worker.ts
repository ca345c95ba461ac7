import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { injectManifest } from 'workbox-build';
import { sumOfWireBytes, type WireFile, wireFile } from './wire-bytes.ts';

const ENTRY = 'workers/service.worker.ts';

/** Beside the pages: a service worker serves what lies below its own address. */
export const SERVICE_WORKER = 'service-worker.js';

const PAGES = ['index.html', 'benchmark.html'];

/**
 * What opens without a network: both pages and all they run. Not the engine that stands in for the
 * kernel, with its models: 18 MB that almost nobody needs, and without it speech is kept as well.
 */
const KEPT = ['*.{html,svg,wav}', 'assets/*.{js,css,wasm}'];
const NOT_KEPT = ['assets/ort*'];

/** Names that hold a hash of what is in the file. */
const HASHED = /^assets\//;

/**
 * Names the build's version in its pages, and makes the service worker that keeps them: Workbox
 * lists every file with its hash, so that nothing damaged or half deployed is ever kept.
 *
 * `version` is what people and tabs tell builds apart by.
 * @default the package's version and a hash over the files
 */
export async function makeServiceWorker(webRoot: string, version?: string): Promise<void> {
  const named = version ?? (await versionOf(webRoot));
  for (const page of PAGES) nameVersion(join(webRoot, page), named);
  const bundled = join(webRoot, `unlisted-${SERVICE_WORKER}`);
  await bundle(bundled, named);
  const { warnings } = await injectManifest({
    ...(await filesIn(webRoot)),
    swSrc: bundled,
    swDest: join(webRoot, SERVICE_WORKER),
  });
  rmSync(bundled);
  dropCompressed(join(webRoot, SERVICE_WORKER));
  if (warnings.length > 0) throw new Error(warnings.join('\n'));
}

/** What the service worker of `webRoot` keeps, as it comes over the wire. */
export function keptFiles(webRoot: string): readonly WireFile[] {
  const script = readFileSync(join(webRoot, SERVICE_WORKER), 'utf8');
  const paths = [...script.matchAll(/"?url"?:"([^"]+)"/g)].map(([, path = '']) => path);
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

function filesIn(webRoot: string) {
  return {
    globDirectory: webRoot,
    globPatterns: KEPT,
    globIgnores: NOT_KEPT,
    dontCacheBustURLsMatching: HASHED,
    maximumFileSizeToCacheInBytes: 4_000_000,
    manifestTransforms: [withIntegrity(webRoot)],
  };
}

type Entry = { url: string; revision: string | null; size: number; integrity?: string };

function withIntegrity(webRoot: string) {
  return (manifest: Entry[]) => ({
    manifest: manifest.map((entry) => {
      const hash = createHash('sha256').update(readFileSync(join(webRoot, entry.url)));
      return { ...entry, integrity: `sha256-${hash.digest('base64')}` };
    }),
    warnings: [],
  });
}

async function versionOf(webRoot: string): Promise<string> {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const { getManifest } = await import('workbox-build');
  const { manifestEntries } = await getManifest(filesIn(webRoot));
  const hash = createHash('sha256').update(JSON.stringify(manifestEntries));
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

/** Of an earlier build: the server would send them in its place. */
function dropCompressed(path: string): void {
  for (const ending of ['br', 'gz']) rmSync(`${path}.${ending}`, { force: true });
}

/** One plain script: not every browser takes a module here. */
async function bundle(file: string, version: string): Promise<void> {
  const build = await rolldown({
    input: ENTRY,
    platform: 'browser',
    transform: {
      target: 'es2022',
      define: {
        BUILD_VERSION: JSON.stringify(version),
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
