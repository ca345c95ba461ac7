import type { Clock } from '../core/clock.ts';
import { DikteraError } from '../core/errors.ts';
import { withDeadline } from '../platform/deadline.ts';

/** The time in which one of our own small files must arrive. */
const FETCH_DEADLINE_MS = 10_000;

/**
 * Fetches and compiles a WASM file. Throws a DikteraError: `asset-unreachable` for no answer or an
 * error status, `asset-wrong` for something that is no WASM, such as an HTML page,
 * `webassembly-missing` for a browser without it, which fetches nothing.
 */
export async function fetchWasm(url: string): Promise<WebAssembly.Module> {
  if (typeof WebAssembly === 'undefined') {
    throw new DikteraError(
      'webassembly-missing',
      'The browser has no WebAssembly (Lockdown Mode?)',
    );
  }
  const response = await fetchAsset(url);
  const type = contentType(response);
  try {
    // Compiling while it arrives insists on the right type; some static servers do not send it.
    return type === 'application/wasm'
      ? await WebAssembly.compileStreaming(response)
      : await WebAssembly.compile(await response.arrayBuffer());
  } catch (cause) {
    if (!(cause instanceof WebAssembly.CompileError)) throw unreachable(url, cause);
    throw new DikteraError('asset-wrong', `${url} is not WASM but '${type}'`, { cause });
  }
}

/**
 * Adds a script to the context's worklet. The browser does not say why it could not, so the script is
 * fetched once more to find out: throws `asset-unreachable`, `asset-wrong` for a file that is no
 * script, or `audio-graph-failed` for a script that fails.
 */
export async function addWorkletModule(
  context: BaseAudioContext,
  url: string,
  clock: Clock,
): Promise<void> {
  try {
    await withDeadline(clock, context.audioWorklet.addModule(url), FETCH_DEADLINE_MS, () => {
      throw unreachable(url, `no answer after ${FETCH_DEADLINE_MS} ms`);
    });
  } catch (cause) {
    if (cause instanceof DikteraError) throw cause;
    const type = contentType(await fetchAsset(url));
    if (!/(java|ecma)script$/.test(type)) {
      throw new DikteraError('asset-wrong', `${url} is not a script but '${type}'`, { cause });
    }
    throw new DikteraError('audio-graph-failed', `${url} fails in the audio worklet`, { cause });
  }
}

/** Brings a file into the browser's cache, if it can be had. Never rejects. */
export async function warmCache(url: string): Promise<void> {
  try {
    await (await fetchAsset(url)).arrayBuffer();
  } catch {
    // Only a head start: opening fetches the file again, and reports.
  }
}

async function fetchAsset(url: string): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, { signal: AbortSignal.timeout(FETCH_DEADLINE_MS) });
  } catch (cause) {
    throw unreachable(url, cause);
  }
  if (!response.ok) throw unreachable(url, `HTTP status ${response.status}`);
  return response;
}

function unreachable(url: string, cause: unknown): DikteraError {
  return new DikteraError('asset-unreachable', `${url} could not be fetched`, { cause });
}

function contentType(response: Response): string {
  return (response.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}
