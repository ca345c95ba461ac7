/** Whether an answer says that it is JSON: `application/json`, or a kind of it. */
export function isJson(headers: Headers): boolean {
  const type = headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return (
    type === 'application/json' || type === 'text/json' || /^application\/[^/]*\+json$/.test(type)
  );
}

/**
 * The body as text, or null as soon as it holds more than `maxBytes` after unpacking. Rejects when
 * the connection breaks.
 */
export async function readAtMost(response: Response, maxBytes: number): Promise<string | null> {
  if (response.body === null) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return decoded(joined(chunks, bytes), response.headers);
    bytes += value.length;
    if (bytes > maxBytes) {
      reader.releaseLock();
      return null;
    }
    chunks.push(value);
  }
}

/** Bytes as latin-1 has letters beyond ASCII, and as a letter of UTF-8 that was cut never stands. */
const LATIN_LETTER = /[^\x80-\xff][\xc0\xc1\xc4-\xff](?![\x80-\xff])/;
const OTHER_THAN_LATIN = /[\x80-\xbf\xc2\xc3]|[\x80-\xff]{2}/;

/**
 * The text by the answer's own word for its letters, else UTF-8. A byte that is none becomes U+FFFD:
 * an engine may cut a letter in two, and the other words are good. Some servers write latin-1 and do
 * not say so.
 */
function decoded(body: Uint8Array, headers: Headers): string {
  const label = /;\s*charset="?([\w-]+)/i.exec(headers.get('content-type') ?? '')?.[1];
  const asLabelled = decodedAs(label ?? 'utf-8', body) ?? new TextDecoder().decode(body);
  if (!asLabelled.includes('\ufffd')) return asLabelled;
  const bytes = Buffer.from(body).toString('latin1');
  const isLatin = LATIN_LETTER.test(bytes) && !OTHER_THAN_LATIN.test(bytes);
  return isLatin ? bytes : asLabelled;
}

/** Null for an alphabet that is not known. */
function decodedAs(label: string, body: Uint8Array): string | null {
  try {
    return new TextDecoder(label).decode(body);
  } catch {
    return null;
  }
}

function joined(chunks: readonly Uint8Array[], bytes: number): Uint8Array {
  const all = new Uint8Array(bytes);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}
