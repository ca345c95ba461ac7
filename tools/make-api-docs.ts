import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './browsers.ts';
import { buildIfNeeded } from './build-all.ts';

const FOLDER = 'tools/api-docs';

/** Where the pages are kept. */
export const API_DOCS = 'docs/api/library';

/** Writes the library's declarations as Markdown. Throws when one names what is not exported. */
export async function makeApiDocs(out: string): Promise<void> {
  const typedoc = join(FOLDER, 'node_modules', 'typedoc', 'bin', 'typedoc');
  const options = ['--options', join(FOLDER, 'typedoc.json'), '--out', out, '--logLevel', 'Warn'];
  const code = await run(process.execPath, [typedoc, ...options]);
  if (code !== 0) throw new Error('typedoc failed');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildIfNeeded();
  await makeApiDocs(API_DOCS);
}
