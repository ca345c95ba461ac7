import type { MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../core/api-error.ts';

/** Which fields a form may have. */
export type FormFields = {
  readonly file: string;
  readonly texts: readonly string[];
  /** Texts that may stand in it more than once, with `[]` behind their name or not. @default none */
  readonly lists?: readonly string[];
  /** Bytes one text may have. */
  readonly maxTextBytes: number;
  /** The treatment of other fields. */
  readonly unknown: 'refused' | 'ignored';
};

/** A form's file and texts; a text that is not in it is not in `texts`, nor in `lists`. */
type ReadForm = {
  readonly file: Uint8Array;
  readonly texts: ReadonlyMap<string, string>;
  readonly lists: ReadonlyMap<string, readonly string[]>;
};

/**
 * Reads a form with one file. Throws 400 for what is missing, doubled or unknown, 413 for a file
 * over `maxUploadBytes`, 415 when it is no multipart form, or packed.
 */
export async function readForm(
  request: FastifyRequest,
  fields: FormFields,
  maxUploadBytes: number,
): Promise<ReadForm> {
  const { file, texts, lists } = await readParts(request, fields, maxUploadBytes);
  if (file === null) {
    const message = `The form has no file ${fields.file}.`;
    throw new ApiError(400, 'file_missing', message);
  }
  if (file.length === 0) throw new ApiError(400, 'file_empty', `${fields.file} is empty.`);
  return { file, texts, lists };
}

/** The flag of that name; throws 400 when it is neither 'true' nor 'false'. */
export function flag(texts: ReadForm['texts'], name: string, absent: boolean): boolean {
  const value = texts.get(name);
  if (value === undefined) return absent;
  if (value === 'true') return true;
  if (value === 'false') return false;
  throw new ApiError(400, 'field_invalid', `${name} must be 'true' or 'false'.`);
}

type Parts = {
  file: Uint8Array | null;
  readonly texts: Map<string, string>;
  readonly lists: Map<string, string[]>;
};

async function readParts(
  request: FastifyRequest,
  fields: FormFields,
  maxUploadBytes: number,
): Promise<Parts> {
  if (!request.isMultipart()) {
    throw new ApiError(415, 'not_multipart', 'Send the audio as multipart/form-data.');
  }
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding.trim().toLowerCase() !== 'identity') {
    const message = 'Send the form as it is, without Content-Encoding.';
    throw new ApiError(415, 'encoding_unsupported', message);
  }
  const parts: Parts = { file: null, texts: new Map(), lists: new Map() };
  // A body must be read to its end, or the connection is of no use to the next request.
  let firstProblem: ApiError | null = null;
  const limits = {
    fileSize: maxUploadBytes,
    fieldSize: fields.maxTextBytes,
    fieldNameSize: 100,
    files: 4,
    fields: 32,
    headerPairs: 20,
  };
  try {
    for await (const part of request.parts({ limits, isPartAFile: isPartAFile(fields) })) {
      const isWanted = firstProblem === null && part.fieldname === fields.file;
      const file = part.type === 'file' ? await readFile(part, isWanted) : null;
      firstProblem ??= takePart(parts, fields, part, file);
    }
  } catch (error) {
    throw firstProblem ?? formProblem(error, maxUploadBytes);
  }
  if (firstProblem !== null) throw firstProblem;
  return parts;
}

/** Programs that send what they have in memory often give it no name, or neither name nor type. */
const isPartAFile =
  (fields: FormFields) =>
  (field: string | undefined, type: string | undefined, name: string | undefined) =>
    field === fields.file ||
    name !== undefined ||
    /^(audio|video)\/|^application\/octet-stream/i.test(type ?? '');

/** The file's bytes; those of a file nobody wants are read and dropped. */
async function readFile(part: MultipartFile, isWanted: boolean): Promise<Uint8Array> {
  if (isWanted) return part.toBuffer();
  part.file.resume();
  return new Uint8Array(0);
}

/** A part as far as it is looked at here. */
type NamedPart = {
  readonly fieldname: string;
  readonly value?: unknown;
  readonly valueTruncated?: boolean;
};

/** Puts a part where it belongs; gives back what is wrong with it. */
function takePart(
  parts: Parts,
  fields: FormFields,
  part: NamedPart,
  file: Uint8Array | null,
): ApiError | null {
  const name = part.fieldname;
  const list = name.replace(/\[\d{0,3}\]$/, '');
  if (fields.lists?.includes(list) === true) {
    parts.lists.set(list, [...(parts.lists.get(list) ?? []), String(part.value ?? '')]);
    return null;
  }
  const all = [fields.file, ...fields.texts];
  if (!all.includes(name)) {
    if (fields.unknown === 'ignored') return null;
    // A misspelt removePii must not pass in silence.
    return new ApiError(400, 'field_unknown', `The form has only ${all.join(', ')}.`);
  }
  if (name === fields.file ? parts.file !== null : parts.texts.has(name)) {
    return new ApiError(400, 'field_repeated', `${name} stands in the form twice.`);
  }
  if (name === fields.file) {
    parts.file = file;
    return null;
  }
  if (typeof part.value !== 'string' || part.valueTruncated === true) {
    return new ApiError(400, 'field_invalid', `${name} must be a short text.`);
  }
  parts.texts.set(name, part.value);
  return null;
}

function formProblem(error: unknown, maxUploadBytes: number): ApiError {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'FST_REQ_FILE_TOO_LARGE') return uploadTooLarge(maxUploadBytes);
  return new ApiError(400, 'form_malformed', 'The multipart form cannot be read.', {
    cause: error,
  });
}

/** Says how much a file may hold. */
export function uploadTooLarge(maxUploadBytes: number): ApiError {
  const message = `The file is larger than ${maxUploadBytes} bytes.`;
  return new ApiError(413, 'upload_too_large', message);
}
