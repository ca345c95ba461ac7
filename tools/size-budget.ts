import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';

/** A file and its size over the wire. */
export type WireFile = { readonly path: string; readonly bytes: number };

/** A file of a build, compressed where it is sent so. */
export function wireFile(webRoot: string, path: string): WireFile {
  const plain = join(webRoot, path);
  const compressed = `${plain}.br`;
  return { path, bytes: statSync(existsSync(compressed) ? compressed : plain).size };
}

export function sumOfWireBytes(files: readonly WireFile[]): number {
  return files.reduce((total, { bytes }) => total + bytes, 0);
}

/** All that is fetched before the first inference, as it comes over the wire. */
export const TOTAL_BUDGET_BYTES = 600_000;
/** The scripts that the page runs before anybody has pressed anything. */
export const SCRIPT_BUDGET_BYTES = 122_500;
/** libopus in a worker of its own, which only a browser without a codec fetches. */
const OPUS_WORKER = /^opus\.worker-.+\.js$/;
const OPUS_BUDGET_BYTES = 190_000;

/**
 * The files that the page fetches beside what its HTML names: the worker, the worklet and their WebAssembly,
 * with engine and model left to the defaults. tests/e2e/network.test.ts holds this list against
 * what a browser really fetches.
 */
const AT_RUN_TIME = [
  /^dictation\.worker-.+\.js$/,
  /^silero-v6-fused-.+\.wasm$/,
  /^capture\.worklet-.+\.js$/,
  /^speex-resampler-simd-.+\.wasm$/,
];

/**
 * The addresses fetched for their own sake; a link that a person may follow is not, nor what a browser wants
 * only to install the page.
 */
const NAMED_IN_HTML =
  /<(?:script|link)\b(?![^>]*\brel="(?:manifest|apple-touch-icon)")[^>]*\b(?:src|href)="\.?\/([^"]+)"/g;

const STATIC_IMPORT = /(?:\bfrom|\bimport)\s*["'](\.{1,2}\/[^"']+)["']/g;

/**
 * The files that a fresh visitor fetches before the first inference. Throws when a file is not there
 * once.
 */
export function firstFrameFiles(webRoot: string): readonly WireFile[] {
  const assets = readdirSync(join(webRoot, 'assets'));
  const fetched = AT_RUN_TIME.map((pattern) => onlyAsset(assets, pattern));
  const paths = new Set([...pageFiles(webRoot), ...withImports(webRoot, fetched)]);
  return [...paths].map((path) => wireFile(webRoot, path));
}

function onlyAsset(assets: readonly string[], pattern: RegExp): string {
  const [name, ...others] = assets.filter((asset) => pattern.test(asset));
  if (!name || others.length > 0) throw new Error(`Not one file like ${pattern} in the build`);
  return `assets/${name}`;
}

/** Prints the list and throws when a budget is exceeded. */
export function checkSizeBudget(webRoot: string): void {
  const files = firstFrameFiles(webRoot);
  const scriptsOfPage = pageFiles(webRoot).filter((path) => path.endsWith('.js'));
  const total = sumOfWireBytes(files);
  const script = sumOfWireBytes(files.filter(({ path }) => scriptsOfPage.includes(path)));
  const opusPath = onlyAsset(readdirSync(join(webRoot, 'assets')), OPUS_WORKER);
  const opus = wireFile(webRoot, opusPath).bytes;
  const lines = files.map(({ path, bytes }) => `${String(bytes).padStart(9)}  ${path}`);
  console.log(
    [
      'Before the first inference, bytes over the wire (brotli):',
      ...lines,
      `${String(total).padStart(9)}  of ${TOTAL_BUDGET_BYTES}; the page's script ${script} of ${SCRIPT_BUDGET_BYTES}`,
      `Where there is no codec: libopus ${opus} of ${OPUS_BUDGET_BYTES}`,
    ].join('\n'),
  );
  const isOpusTooLarge = opus > OPUS_BUDGET_BYTES;
  if (total > TOTAL_BUDGET_BYTES || script > SCRIPT_BUDGET_BYTES || isOpusTooLarge) {
    throw new Error('The size budget is exceeded (tools/size-budget.ts)');
  }
}

/** The page, what it names and what its scripts import. */
function pageFiles(webRoot: string): readonly string[] {
  const html = readFileSync(join(webRoot, 'index.html'), 'utf8');
  const named = [...html.matchAll(NAMED_IN_HTML)].map(([, path = '']) => path);
  return withImports(webRoot, ['index.html', ...named]);
}

/** Scripts bring what they import at once; what they import later is not fetched yet. */
export function withImports(webRoot: string, start: readonly string[]): readonly string[] {
  const paths = new Set(start);
  // A set goes on to what is added while it is gone through.
  for (const path of paths) {
    if (!path.endsWith('.js')) continue;
    const code = readFileSync(join(webRoot, path), 'utf8');
    for (const [, target = ''] of code.matchAll(STATIC_IMPORT)) {
      paths.add(posix.join(posix.dirname(path), target));
    }
  }
  return [...paths];
}
