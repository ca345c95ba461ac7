import type { MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { DEFAULT_SESSION_OPTIONS } from '../../src/core/options/dictation-options.ts';
import { ApiError } from '../core/api-error.ts';

/** The fields of `POST /api/asr/vad`, each validated; `language` is as the client wrote it. */
export type TranscriptionForm = {
  readonly file: Uint8Array;
  readonly removePii: boolean;
  readonly fixSpelling: boolean;
  readonly fast: boolean;
  readonly language: string;
};

const FILE_FIELD = 'audioFile';
const TEXT_FIELDS = ['removePii', 'fixSpelling', 'language', 'fast'] as const;
const ALL_FIELDS: readonly string[] = [FILE_FIELD, ...TEXT_FIELDS];

/** Longer than any language code or flag. */
const MAX_FIELD_BYTES = 256;

/**
 * Reads the form. Throws 400 for what is missing, doubled, unknown or none of its values, 413 for a
 * file over `maxUploadBytes`, 415 when it is no multipart form. Absent flags have the page's
 * defaults.
 */
export async function readTranscriptionForm(
  request: FastifyRequest,
  maxUploadBytes: number,
): Promise<TranscriptionForm> {
  const parts = await readParts(request, maxUploadBytes);
  if (parts.file === null) {
    throw new ApiError(400, 'file_missing', `The form has no file ${FILE_FIELD} with a file name.`);
  }
  if (parts.file.length === 0) throw new ApiError(400, 'file_empty', `${FILE_FIELD} is empty.`);
  return {
    file: parts.file,
    removePii: flag(parts.texts, 'removePii', DEFAULT_SESSION_OPTIONS.removePii),
    fixSpelling: flag(parts.texts, 'fixSpelling', DEFAULT_SESSION_OPTIONS.fixSpelling),
    fast: flag(parts.texts, 'fast', DEFAULT_SESSION_OPTIONS.fast),
    language: parts.texts.get('language') ?? DEFAULT_SESSION_OPTIONS.language,
  };
}

type Parts = { file: Uint8Array | null; readonly texts: Map<string, string> };

async function readParts(request: FastifyRequest, maxUploadBytes: number): Promise<Parts> {
  if (!request.isMultipart()) {
    throw new ApiError(415, 'not_multipart', 'Send the audio as multipart/form-data.');
  }
  const parts: Parts = { file: null, texts: new Map() };
  // A body must be read to its end, or the connection is of no use to the next request.
  let firstProblem: ApiError | null = null;
  const limits = {
    fileSize: maxUploadBytes,
    fieldSize: MAX_FIELD_BYTES,
    fieldNameSize: 100,
    files: 4,
    fields: 16,
    headerPairs: 20,
  };
  try {
    for await (const part of request.parts({ limits })) {
      const file = part.type === 'file' ? await readFile(part, firstProblem !== null) : null;
      firstProblem ??= takePart(parts, part, file);
    }
  } catch (error) {
    throw firstProblem ?? formProblem(error, maxUploadBytes);
  }
  if (firstProblem !== null) throw firstProblem;
  return parts;
}

/** The file's bytes; those of a file nobody wants are read and dropped. */
async function readFile(part: MultipartFile, isUnwanted: boolean): Promise<Uint8Array> {
  if (!isUnwanted && part.fieldname === FILE_FIELD) return part.toBuffer();
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
function takePart(parts: Parts, part: NamedPart, file: Uint8Array | null): ApiError | null {
  const name = part.fieldname;
  if (!ALL_FIELDS.includes(name)) {
    // A misspelt removePii must not pass in silence.
    return new ApiError(400, 'field_unknown', `The form has only ${ALL_FIELDS.join(', ')}.`);
  }
  if (name === FILE_FIELD ? parts.file !== null : parts.texts.has(name)) {
    return new ApiError(400, 'field_repeated', `${name} stands in the form twice.`);
  }
  if (name === FILE_FIELD) {
    if (file === null) {
      return new ApiError(400, 'file_missing', `${FILE_FIELD} must be a file with a file name.`);
    }
    parts.file = file;
    return null;
  }
  if (typeof part.value !== 'string' || part.valueTruncated === true) {
    return new ApiError(400, 'field_invalid', `${name} must be a short text.`);
  }
  parts.texts.set(name, part.value);
  return null;
}

function flag(texts: ReadonlyMap<string, string>, name: string, absent: boolean): boolean {
  const value = texts.get(name);
  if (value === undefined) return absent;
  if (value === 'true') return true;
  if (value === 'false') return false;
  throw new ApiError(400, 'field_invalid', `${name} must be 'true' or 'false'.`);
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
