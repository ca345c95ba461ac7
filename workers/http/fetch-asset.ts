import { DikteraError } from '../../src/core/errors.ts';
import type { HttpAnswer, HttpClient } from './http-client.ts';

type Asset = {
  /** Absolute address. */
  readonly address: string;
  /** The most bytes it may hold. */
  readonly maxBytes: number;
  /** Names the content's fault, in a few words; null if it is the right one. */
  readonly findFault: (bytes: ArrayBuffer) => Promise<string | null> | string | null;
};

/**
 * Fetches a file of ours. One that is not what it should be is fetched once more past the browser's
 * cache, where it may have been since a failed deployment.
 *
 * Throws `asset-unreachable` (with the HTTP error as its cause) or `asset-wrong`, which says what
 * came instead.
 */
export async function fetchAsset(http: HttpClient, asset: Asset): Promise<ArrayBuffer> {
  const first = await tryFetch(http, asset, 'default');
  if (first.kind === 'right') return first.bytes;
  const second = await tryFetch(http, asset, 'reload');
  if (second.kind === 'right') return second.bytes;
  const message = `${asset.address} is not the file it should be: ${second.fault}`;
  throw new DikteraError('asset-wrong', message);
}

type Fetched =
  | { readonly kind: 'right'; readonly bytes: ArrayBuffer }
  | { readonly kind: 'wrong'; readonly fault: string };

async function tryFetch(http: HttpClient, asset: Asset, cache: RequestCache): Promise<Fetched> {
  const { address, maxBytes, findFault } = asset;
  try {
    const answer = await http.get({ address, maxBytes, cache });
    const fault = isHtml(answer) ? 'it is an HTML page' : await findFault(answer.bytes);
    return fault === null ? { kind: 'right', bytes: answer.bytes } : { kind: 'wrong', fault };
  } catch (error) {
    if (error instanceof DikteraError && error.code === 'http-answer-wrong') {
      return { kind: 'wrong', fault: `it holds more than ${maxBytes} bytes` };
    }
    const why = error instanceof Error ? error.message : String(error);
    const message = `${address} could not be fetched: ${why}`;
    throw new DikteraError('asset-unreachable', message, { cause: error });
  }
}

/** Servers of single-page apps answer with their page, and 200, for a file that is not there. */
function isHtml({ headers, bytes }: HttpAnswer): boolean {
  if (headers.get('content-type')?.toLowerCase().includes('text/html')) return true;
  const start = new TextDecoder().decode(new Uint8Array(bytes, 0, Math.min(64, bytes.byteLength)));
  return /^\s*<(!doctype|html)/i.test(start);
}

/** A file known to the byte. */
type VerifiedFile = {
  readonly address: string;
  readonly bytes: number;
  /** In lower-case hexadecimal. */
  readonly sha256: string;
};

/**
 * Fetches a file and holds it against its length and SHA-256. Browsers offer hashing in secure
 * contexts only; elsewhere (`subtle` null) the length must do. Throws as `fetchAsset`.
 */
export function fetchVerified(
  http: HttpClient,
  file: VerifiedFile,
  subtle: SubtleCrypto | null = globalThis.crypto?.subtle ?? null,
): Promise<ArrayBuffer> {
  return fetchAsset(http, {
    address: file.address,
    maxBytes: file.bytes,
    async findFault(bytes) {
      if (bytes.byteLength !== file.bytes) {
        return `it holds ${bytes.byteLength} bytes, not ${file.bytes}`;
      }
      if (subtle === null) return null;
      const sha256 = toHex(await subtle.digest('SHA-256', bytes));
      return sha256 === file.sha256 ? null : `its SHA-256 is ${sha256}, not ${file.sha256}`;
    },
  });
}

function toHex(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
