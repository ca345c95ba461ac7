import type { createDeferred, untilAborted } from '../core/async.ts';
import type { DikteraError } from '../core/errors.ts';

/** Gives headers for a request; asked anew where those before were refused. */
export type AskHeaders = () => Promise<Readonly<Record<string, string>>>;

type SignedFetchSetup = {
  readonly fetch: typeof globalThis.fetch;
  /** The page will say what to sign with: until then nothing is sent. */
  readonly isSigned?: boolean;
  /** @default the browser's own, `same-origin` */
  readonly credentials?: RequestCredentials | undefined;
  /** The longest wait for the page's headers, in ms. @default 30000 */
  readonly askMs?: number;
};

/** A page whose own server does not answer is asked again with the next request. */
const ASK_MS = 30_000;

/** The worker's own: a file that is fetched later imports none of them, or WebKit runs it twice. */
type Shared = {
  readonly createDeferred: typeof createDeferred;
  readonly untilAborted: typeof untilAborted;
  readonly DikteraError: typeof DikteraError;
};

/**
 * A `fetch` that signs each request with what the page gives. After a 401 the page is asked once
 * more, and with other headers the request is made again. Headers are kept in memory alone.
 */
export function createSignedFetch(
  { fetch, isSigned = false, credentials, askMs = ASK_MS }: SignedFetchSetup,
  { createDeferred, untilAborted, DikteraError }: Shared,
) {
  const first = createDeferred();
  let isSigning = isSigned;
  let hasPage = false;
  let askPage: AskHeaders = async () => ({});
  let known: Promise<Readonly<Record<string, string>>> | null = null;

  async function ask(): Promise<Readonly<Record<string, string>>> {
    await first.promise;
    try {
      const given = await untilAborted(askPage(), AbortSignal.timeout(askMs));
      // Throws for what can be none.
      return Object.fromEntries(new Headers(given ?? {}));
    } catch (error) {
      // With the next request the page is asked again.
      known = null;
      throw new DikteraError('http-signed-out', 'The page could not give its headers', {
        cause: error,
      });
    }
  }

  const signed: typeof globalThis.fetch = async (address, init = {}) => {
    const send = async (headers: Readonly<Record<string, string>>): Promise<Response> => {
      const all = new Headers(init.headers);
      for (const [name, value] of Object.entries(headers)) all.set(name, value);
      return fetch(address, { ...init, headers: all, ...(credentials && { credentials }) });
    };
    const current = (): Promise<Readonly<Record<string, string>>> => {
      known ??= ask();
      return init.signal ? untilAborted(known, init.signal) : known;
    };
    if (!isSigning) return fetch(address, credentials ? { ...init, credentials } : init);
    const headers = await current();
    const used = known;
    const answer = await send(headers);
    if (answer.status !== 401) return answer;
    // Others that were refused with the same ask once.
    if (known === used) known = null;
    const fresh = await current();
    return JSON.stringify(fresh) === JSON.stringify(headers) ? answer : send(fresh);
  };

  return {
    fetch: signed,
    /** From now on requests are signed with what `ask` gives. */
    sign(ask: AskHeaders): void {
      // Requests that wait for the first headers get them from this `ask`, so `known` stays then.
      if (hasPage) known = null;
      hasPage = true;
      isSigning = true;
      askPage = ask;
      first.resolve();
    },
  };
}
