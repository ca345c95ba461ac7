import { DikteraError } from '../../src/core/errors.ts';

/** Failures that a new connection cannot mend: the disk is full, the data or the code is wrong. */
const LASTING: ReadonlySet<string> = new Set([
  'QuotaExceededError',
  'DataCloneError',
  'DataError',
  'VersionError',
]);

function nameOf(thrown: unknown): string {
  return thrown instanceof Error || thrown instanceof DOMException ? thrown.name : 'Error';
}

/**
 * Whether opening the database anew may help: a lost connection ("Connection to Indexed Database
 * server lost" in WebKit), one that is closing, a failed open, an aborted transaction, no answer.
 */
export function isWorthReopening(thrown: unknown): boolean {
  return !(thrown instanceof DikteraError) && !LASTING.has(nameOf(thrown));
}

/** The typed error of any failure in storage; what the browser threw is its `cause`. */
export function toStorageError(databaseName: string, thrown: unknown): DikteraError {
  if (thrown instanceof DikteraError) return thrown;
  const message = thrown instanceof Error || thrown instanceof DOMException ? thrown.message : '';
  return new DikteraError(
    'storage-failed',
    `Storage "${databaseName}" failed: ${nameOf(thrown)}${message ? `: ${message}` : ''}`,
    { cause: thrown },
  );
}

/** Whether the disk has no room for what was to be written. */
export function isFull(thrown: unknown): boolean {
  return storageCauseName(toStorageError('', thrown)) === 'QuotaExceededError';
}

/** The browser's name for what went wrong, such as `QuotaExceededError`: tells causes apart. */
export function storageCauseName(error: DikteraError): string {
  return error.cause === undefined ? error.message : nameOf(error.cause);
}
