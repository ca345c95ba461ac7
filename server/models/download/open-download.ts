import { type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import type { Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import { arrivals } from './arrivals.ts';
import { FetchProblem } from './fetch-problem.ts';
import { proxyAuthorization, proxyFor } from './proxy.ts';
import type { Environment } from './read-environment.ts';

/** What a download is opened with. */
export type OpenOptions = {
  /** The first byte that is wanted. */
  readonly startByte: number;
  readonly env: Environment;
  readonly signal: AbortSignal;
  /** How long nothing may come, in ms. */
  readonly silenceMs: number;
};

/** The head of an answer, and its body as it comes. */
export type Download = {
  readonly answer: IncomingMessage;
  readonly body: AsyncIterable<Buffer>;
};

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Asks for a file from `startByte` on and follows where the server sends it. Node's own fetch knows
 * no proxy in the versions we support, so this is node:http with a tunnel. Rejects with a
 * FetchProblem or with `signal`'s reason.
 */
export async function openDownload(address: string, options: OpenOptions): Promise<Download> {
  let at = new URL(address);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const download = await ask(at, options);
    const { answer } = download;
    const { statusCode = 0, headers } = answer;
    if (!REDIRECTS.has(statusCode) || headers.location === undefined) return download;
    answer.destroy();
    if (!URL.canParse(headers.location, at.href)) break;
    const next = new URL(headers.location, at.href);
    const isDowngrade = at.protocol === 'https:' && next.protocol !== 'https:';
    if (isDowngrade || !/^https?:$/.test(next.protocol)) {
      throw new FetchProblem(
        'wrong-source',
        'refused',
        `${at.host} sends the request to an unsafe address`,
      );
    }
    at = next;
  }
  throw new FetchProblem(
    'wrong-source',
    'refused',
    `${at.host} sends the request round in circles`,
  );
}

async function ask(at: URL, options: OpenOptions): Promise<Download> {
  const { startByte, env, signal, silenceMs } = options;
  const proxy = proxyFor(at, env);
  const isSecure = at.protocol === 'https:';
  const tunnel = proxy !== null && isSecure ? await openTunnel(at, proxy, options) : null;
  return new Promise((resolve, reject) => {
    const headers = {
      host: at.host,
      'user-agent': 'diktera-server',
      // Packed, a byte range would be one of something else.
      'accept-encoding': 'identity',
      ...(startByte > 0 ? { range: `bytes=${startByte}-` } : {}),
    };
    const common = { method: 'GET', agent: false, signal, timeout: silenceMs } as const;
    const sent =
      proxy !== null && !isSecure
        ? requestPlain({
            ...common,
            host: proxy.hostname,
            port: proxy.port || 80,
            path: at.href,
            headers: { ...headers, ...proxyAuthorization(proxy) },
          })
        : (isSecure ? requestSecure : requestPlain)({
            ...common,
            host: at.hostname.replace(/^\[|\]$/g, ''),
            port: at.port || (isSecure ? 443 : 80),
            path: `${at.pathname}${at.search}`,
            headers,
            // Beside an agent, a connection of one's own is not heeded.
            ...(tunnel === null ? {} : { agent: undefined, createConnection: () => tunnel }),
          });
    sent.on('timeout', () => sent.destroy(new Error(`nothing came for ${silenceMs} ms`)));
    sent.on('error', (error) => reject(signal.aborted ? signal.reason : passing(at, error)));
    sent.on('response', (answer) => resolve({ answer, body: arrivals(answer) }));
    sent.end();
  });
}

/** A connection to `at` by way of a proxy that cannot look into it. */
function openTunnel(at: URL, proxy: URL, { signal, silenceMs }: OpenOptions): Promise<Socket> {
  const target = `${at.hostname}:${at.port || 443}`;
  return new Promise((resolve, reject) => {
    const sent = requestPlain({
      method: 'CONNECT',
      host: proxy.hostname,
      port: proxy.port || 80,
      path: target,
      agent: false,
      signal,
      timeout: silenceMs,
      headers: { host: target, ...proxyAuthorization(proxy) },
    });
    sent.on('timeout', () => sent.destroy(new Error('the proxy says nothing')));
    sent.on('error', (error) => reject(signal.aborted ? signal.reason : passing(proxy, error)));
    sent.on('connect', ({ statusCode }, socket) => {
      if (statusCode === 200) {
        resolve(connectSecure({ socket, servername: at.hostname }));
        return;
      }
      socket.destroy();
      const message = `the proxy ${proxy.host} answers ${statusCode} for ${at.host}`;
      reject(new FetchProblem('wrong-source', 'refused', message));
    });
    sent.end();
  });
}

function passing(at: URL, error: Error): FetchProblem {
  const code = 'code' in error ? ` (${String(error.code)})` : '';
  return new FetchProblem('passing', 'no-network', `${at.host} cannot be reached${code}`, {
    cause: error,
  });
}
