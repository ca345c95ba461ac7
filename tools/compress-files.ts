import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

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
