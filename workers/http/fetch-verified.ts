import { fetchAsset } from './fetch-asset.ts';
import type { HttpClient } from './http-client.ts';

/** A file known to the byte. */
export type VerifiedFile = {
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
