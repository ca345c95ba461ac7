/** Whether an answer says that it is JSON: `application/json`, or a kind of it. */
export function isJson(headers: Headers): boolean {
  const type = headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return (
    type === 'application/json' || type === 'text/json' || /^application\/[^/]*\+json$/.test(type)
  );
}

/**
 * The body as text, or null as soon as it holds more than `maxBytes` after unpacking. Bytes that
 * are no UTF-8 become U+FFFD: an engine may cut a letter in two, and the other words are good.
 * Rejects when the connection breaks.
 */
export async function readAtMost(response: Response, maxBytes: number): Promise<string | null> {
  if (response.body === null) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new TextDecoder().decode(joined(chunks, bytes));
    bytes += value.length;
    if (bytes > maxBytes) {
      reader.releaseLock();
      return null;
    }
    chunks.push(value);
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
