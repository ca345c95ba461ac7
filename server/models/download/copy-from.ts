import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { codeOf } from '../layout/hash-file.ts';
import type { ModelFile } from '../layout/known-model.ts';
import { diskProblem, FetchProblem } from './fetch-problem.ts';

/** Copies a file of a model out of a folder, with the checks of a download. */
export async function copyFrom(
  folder: string,
  file: ModelFile,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  // Beside a download that was begun, which may go on one day.
  const partPath = `${path}.copy`;
  const hash = createHash('sha256');
  const listen = new Transform({
    transform(piece: Buffer, _encoding, done) {
      hash.update(piece);
      done(null, piece);
    },
  });
  try {
    const from = createReadStream(join(folder, file.name), { highWaterMark: 1 << 20 });
    await pipeline(from, listen, createWriteStream(partPath, { flush: true }), { signal });
    if (hash.digest('hex') !== file.sha256) {
      throw new FetchProblem(
        'wrong-source',
        'wrong-bytes',
        `${file.name} there is not the file we know`,
      );
    }
    await rename(partPath, path);
  } catch (error) {
    await rm(partPath, { force: true });
    if (signal.aborted) throw signal.reason;
    if (codeOf(error) === 'ENOENT') {
      throw new FetchProblem('wrong-source', 'wrong-bytes', `${file.name} is not in that folder`);
    }
    throw diskProblem(codeOf(error)) ?? error;
  }
}
