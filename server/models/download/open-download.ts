import { type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import type { Socket } from 'node:net';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { connect as connectSecure } from 'node:tls';

/** The variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where models are asked for first. */
const HUB = 'https://huggingface.co';

/**
 * The folder of all models: `DIKTERA_MODELS`, else where this platform keeps what programs can
 * fetch again.
 */
export function modelsFolder(
  env: Environment,
  platform: NodeJS.Platform = process.platform,
): string {
  const named = env.DIKTERA_MODELS?.trim();
  if (named) return resolve(named);
  const home = env.HOME || homedir();
  if (platform === 'win32') {
    return join(env.LOCALAPPDATA || join(home, 'AppData', 'Local'), 'diktera', 'models');
  }
  if (platform === 'darwin') return join(home, 'Library', 'Caches', 'diktera', 'models');
  // A relative one does not count, by the convention itself.
  const cache = env.XDG_CACHE_HOME?.startsWith('/') ? env.XDG_CACHE_HOME : join(home, '.cache');
  return join(cache, 'diktera', 'models');
}

/** Addresses to ask, one after the other: `DIKTERA_MODELS_URL`, `HF_ENDPOINT`, Hugging Face. */
export function modelSources(env: Environment): readonly string[] {
  const own = (env.DIKTERA_MODELS_URL ?? '').split(',').map((one) => one.trim());
  const all = [...own, env.HF_ENDPOINT?.trim() ?? '', HUB].map((one) => one.replace(/\/+$/, ''));
  return [...new Set(all.filter((one) => /^https?:\/\//.test(one)))];
}

/**
 * The proxy for an address by the usual variables; null for none. Throws for one that is not asked
 * over plain HTTP: whoever set it does not want the network to be used without.
 */
export function proxyFor(address: URL, env: Environment): URL | null {
  const read = (name: string) => env[name] || env[name.toUpperCase()] || '';
  if (isExempt(address, read('no_proxy'))) return null;
  const given =
    read(address.protocol === 'https:' ? 'https_proxy' : 'http_proxy') || read('all_proxy');
  if (given === '') return null;
  const text = given.includes('://') ? given : `http://${given}`;
  const proxy = URL.canParse(text) ? new URL(text) : null;
  if (proxy?.protocol === 'http:') return proxy;
  const scheme = proxy?.protocol.replace(':', '') ?? '';
  const what = scheme === '' ? 'is no address' : `begins with ${scheme}://, which is not supported`;
  const message = `the proxy in the environment ${what}: give one that begins with http://`;
  throw new FetchProblem('wrong-source', 'bad-proxy', message);
}

/** `no_proxy`: names with all that ends with them, `*` for everything, a port where it counts. */
function isExempt({ hostname, port, protocol }: URL, list: string): boolean {
  const ownPort = port || (protocol === 'https:' ? '443' : '80');
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true;
      const [, name = '', onlyPort] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
      if (onlyPort !== undefined && onlyPort !== ownPort) return false;
      const bare = name.replace(/^\*?\./, '');
      return hostname === bare || hostname.endsWith(`.${bare}`);
    });
}

/** The head that says who asks a proxy; empty where its address names nobody. */
function proxyAuthorization({ username, password }: URL): Record<string, string> {
  if (username === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

/** The options of a download. */
export type OpenOptions = {
  /** The first byte that is wanted. */
  readonly startByte: number;
  readonly env: Environment;
  readonly signal: AbortSignal;
  /** The time nothing may come, in ms. */
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

/** Why a file could not be had, and whether asking again may help. */
type FetchProblemKind =
  /** Asking again may help: the network, a server that is busy, a connection that was cut. */
  | 'passing'
  /** Asking this server again is in vain; another may have it. */
  | 'wrong-source'
  /** Nothing fetched from anywhere can be kept: the disk is full or may not be written to. */
  | 'no-room';

/** The fault as a code, so that a page can say it in the person's own language. */
export type FetchFault =
  /** Nobody answers, or the connection is cut again and again. */
  | 'no-network'
  /** A server, or a proxy, answers and does not give it. */
  | 'refused'
  /** Something else comes than the file that is known: other bytes, a page, another length. */
  | 'wrong-bytes'
  | 'bad-proxy'
  | 'disk-full'
  /** There is too little room on the disk, seen before anything is fetched. */
  | 'disk-small'
  | 'read-only'
  | 'memory-small';

/** A file of a model could not be had; `message` is for people and names no local path. */
export class FetchProblem extends Error {
  override readonly name: string = 'FetchProblem';
  readonly kind: FetchProblemKind;
  readonly fault: FetchFault;
  /** True if what has come by now is of no use: it is deleted, and the next try begins anew. */
  readonly isSpoilt: boolean;

  constructor(
    kind: FetchProblemKind,
    fault: FetchFault,
    message: string,
    { cause, isSpoilt = false }: { readonly cause?: unknown; readonly isSpoilt?: boolean } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.fault = fault;
    this.isSpoilt = isSpoilt;
  }
}

/** The problem behind an error of the system; null when it is none of the disk's. */
export function diskProblem(code: string): FetchProblem | null {
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new FetchProblem('no-room', 'disk-full', 'the disk is full');
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
      return new FetchProblem('no-room', 'read-only', 'the folder for models cannot be written to');
    case 'EFBIG':
      return new FetchProblem('no-room', 'disk-full', 'the disk takes no file this large');
    default:
      return null;
  }
}

/** The bytes that may wait to be written before the sender is held back. */
const MAX_WAITING_BYTES = 1 << 20;

/**
 * All that arrives on a stream, in order, and only then its error. A stream read in the usual way
 * throws away what has come and was not read yet when its connection is cut, and on a bad line
 * those may be all the bytes of a try.
 * It listens from this call on: between an answer's head and its reading a connection may end.
 */
export function arrivals(stream: Readable): AsyncIterable<Buffer> {
  const waiting: Buffer[] = [];
  let waitingBytes = 0;
  let end: { readonly error: Error | null } | null = null;
  let wake: () => void = () => undefined;
  const finish = (error: Error | null) => {
    end ??= { error };
    wake();
  };
  stream.on('data', (piece: Buffer) => {
    waiting.push(piece);
    waitingBytes += piece.length;
    if (waitingBytes > MAX_WAITING_BYTES) stream.pause();
    wake();
  });
  stream.once('end', () => finish(null));
  stream.once('error', finish);
  stream.once('close', () => finish(new Error('the connection was closed')));
  return read();

  async function* read(): AsyncGenerator<Buffer> {
    for (;;) {
      const piece = waiting.shift();
      if (piece !== undefined) {
        waitingBytes -= piece.length;
        yield piece;
      } else if (end !== null) {
        const { error } = end as { readonly error: Error | null };
        if (error !== null) throw error;
        return;
      } else {
        stream.resume();
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  }
}
