import { createHash, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { codeOf, hashInto, lengthOf, type ModelFile } from '../layout/model-folder.ts';
import {
  type Download,
  diskProblem,
  FetchProblem,
  type OpenOptions,
  openDownload,
} from './open-download.ts';

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

/** The parts that one try needs. */
type DownloadOptions = Omit<OpenOptions, 'startByte'> & {
  readonly address: string;
  readonly file: ModelFile;
  /** Where it is to lie; `<path>.part` until it is whole. */
  readonly path: string;
  /** Called with the number of bytes of the file that are here. */
  readonly onBytes: (bytes: number) => void;
};

/**
 * Fetches a file, going on where an earlier try ended, and gives it its name only when its length
 * and hash are right. Bytes that turn out wrong are deleted. Rejects with a FetchProblem, or with
 * `signal`'s reason, and what has come by then stays for the next try.
 */
export async function downloadFile(options: DownloadOptions): Promise<void> {
  const { file, path, signal } = options;
  const partPath = `${path}.part`;
  try {
    const length = (await lengthOf(partPath)) ?? 0;
    const startByte = length <= file.bytes ? length : 0;
    const hash = createHash('sha256');
    // Taken over whole from an earlier try, it may be wrong like any other.
    let keptBytes = startByte;
    if (startByte === file.bytes) await hashInto(hash, partPath);
    else keptBytes = await fetchInto(partPath, startByte, hash, options);
    if (hash.digest('hex') !== file.sha256) {
      // Bytes of an earlier try may be to blame.
      const kind = keptBytes > 0 ? 'passing' : 'wrong-source';
      const message = `${hostOf(options)} sends other bytes for ${file.name} than the ones we know`;
      throw new FetchProblem(kind, 'wrong-bytes', message, { isSpoilt: true });
    }
    await rename(partPath, path);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof FetchProblem && error.isSpoilt) await rm(partPath, { force: true });
    throw diskProblem(codeOf(error)) ?? error;
  }
}

const hostOf = ({ address }: DownloadOptions) => new URL(address).host;

/** Fetches the rest, or all; gives back how many bytes of earlier tries are in it. */
async function fetchInto(
  partPath: string,
  startByte: number,
  hash: Hash,
  options: DownloadOptions,
): Promise<number> {
  const download = await openDownload(options.address, { ...options, startByte });
  const { answer } = download;
  let part: FileHandle | null = null;
  try {
    const from = startOf(answer, startByte, options);
    part = await open(partPath, from === 0 ? 'w' : 'a');
    if (from > 0) await hashInto(hash, partPath);
    await writeDown(download, part, from, hash, options);
    await part.sync();
    return from;
  } finally {
    answer.destroy();
    await part?.close();
  }
}

/** The byte the answer begins with: where we asked, or 0 where the server knows no ranges. */
function startOf(answer: IncomingMessage, asked: number, options: DownloadOptions): number {
  const { file } = options;
  const { statusCode = 0, headers } = answer;
  const host = hostOf(options);
  if (statusCode !== 200 && statusCode !== 206) throw refusal(host, statusCode, file);
  if (headers['content-type']?.startsWith('text/html')) {
    throw new FetchProblem(
      'wrong-source',
      'wrong-bytes',
      `${host} answers with a page instead of ${file.name}`,
    );
  }
  if (statusCode === 206) {
    const range = headers['content-range'] ?? '';
    const [, from, whole] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(range) ?? [];
    if (whole !== undefined && whole !== '*' && Number(whole) !== file.bytes) {
      throw otherLength(host, whole, file);
    }
    if (Number(from) === asked) return asked;
    const message = `${host} sends another part of ${file.name} than was asked for`;
    throw new FetchProblem('passing', 'wrong-bytes', message, { isSpoilt: true });
  }
  const length = headers['content-length'];
  if (length !== undefined && Number(length) !== file.bytes) throw otherLength(host, length, file);
  return 0;
}

function otherLength(host: string, length: string, { name, bytes }: ModelFile): FetchProblem {
  return new FetchProblem(
    'wrong-source',
    'wrong-bytes',
    `${host} has ${length} bytes for ${name}, not ${bytes}`,
  );
}

function refusal(host: string, status: number, { name }: ModelFile): FetchProblem {
  // The file here is longer than the server's.
  if (status === 416) {
    return new FetchProblem('passing', 'wrong-bytes', `${host} has no rest of ${name}`, {
      isSpoilt: true,
    });
  }
  const isPassing = status === 408 || status === 425 || status === 429 || status >= 500;
  const kind = isPassing ? 'passing' : 'wrong-source';
  return new FetchProblem(kind, 'refused', `${host} answers ${status} for ${name}`);
}

async function writeDown(
  { answer, body }: Download,
  part: FileHandle,
  startByte: number,
  hash: Hash,
  options: DownloadOptions,
): Promise<void> {
  const { file, onBytes, signal, silenceMs } = options;
  const host = hostOf(options);
  let bytes = startByte;
  answer.setTimeout(silenceMs, () => answer.destroy(new Error('nothing comes any more')));
  try {
    for await (const piece of body) {
      if (bytes + piece.length > file.bytes) {
        const message = `${host} sends more than ${file.name} has`;
        throw new FetchProblem('wrong-source', 'wrong-bytes', message, { isSpoilt: true });
      }
      await part.writeFile(piece);
      hash.update(piece);
      bytes += piece.length;
      onBytes(bytes);
      signal.throwIfAborted();
    }
  } catch (error) {
    if (error instanceof FetchProblem || diskProblem(codeOf(error)) !== null) throw error;
    throw new FetchProblem('passing', 'no-network', `the connection to ${host} was cut`, {
      cause: error,
    });
  }
  if (bytes === file.bytes) return;
  // It came to an end and said nothing of its length before: it is something else.
  const message = `${host} ends ${file.name} after ${bytes} of ${file.bytes} bytes`;
  throw new FetchProblem('wrong-source', 'wrong-bytes', message, { isSpoilt: true });
}
