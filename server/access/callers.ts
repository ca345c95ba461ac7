import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { isIP, isIPv4, isIPv6 } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../core/api-error.ts';
import type { Pairing } from './pairing.ts';
import { clientAddress, type TrustedProxies } from './trusted-proxies.ts';

/** Everything listens: any address of the machine may have been asked for. */
const WILDCARDS = ['0.0.0.0', '::'];

/**
 * Answers only requests for a name of this server's own. Else a page of another site could point
 * its own name at this machine (DNS rebinding) and be of "the same origin". Requests without a name
 * come from no browser. Throws `host_not_allowed` (403).
 */
export function guardHosts(
  app: FastifyInstance,
  { host, publicHosts }: Pick<AccessOptions, 'host' | 'publicHosts'>,
): void {
  const isOwn = createHostCheck(host, publicHosts);
  let isSaid = false;
  app.addHook('onRequest', async (request) => {
    const name = nameIn(request.headers.host ?? '');
    if (isOwn(name)) return;
    if (!isSaid) app.log.warn('a request by a name that is none of PUBLIC_HOSTS was refused');
    isSaid = true;
    const shown = /^[\w.:-]{1,253}$/.test(name) ? name : 'in its Host header';
    const message = `This server does not answer to the name ${shown}. If it should, its operator puts the name into PUBLIC_HOSTS.`;
    throw new ApiError(403, 'host_not_allowed', message);
  });
}

/** True if a name, in lower case and without a port, is one of this server's. */
function createHostCheck(host: string, publicHosts: readonly string[]): (name: string) => boolean {
  const exact = new Set([host, ...publicHosts].map((name) => name.toLowerCase()));
  const endings = [...exact].filter((name) => name.startsWith('*.')).map((name) => name.slice(1));
  const isAny = exact.has('*');
  return (name) => {
    if (isAny || name === '' || exact.has(name) || isLoopback(name)) return true;
    // An address cannot be rebound: whoever is asked by it is the one it names.
    if (isIP(name) !== 0) return WILDCARDS.includes(host);
    return endings.some((ending) => name.endsWith(ending) && name.length > ending.length);
  };
}

function isLoopback(name: string): boolean {
  if (name === 'localhost' || name.endsWith('.localhost')) return true;
  return isIP(name) === 4 ? name.startsWith('127.') : name === '::1';
}

/** The name in a Host header: without port, brackets and the root's dot. */
function nameIn(header: string): string {
  const bare = /^\[([^\]]*)\](?::\d*)?$/.exec(header)?.[1] ?? header.replace(/:\d*$/, '');
  return bare.replace(/\.$/, '').toLowerCase();
}

/** The time a browser may remember that it may ask. */
const PREFLIGHT_MAX_AGE_S = '600';

/** A stranger may name any number of them. */
const MOST_ORIGINS_TOLD = 20;

/** Its token is for this server's own pages. */
const OWN_HEADER = 'x-diktera-models';

/**
 * The headers a page of an allowed origin may send: those it asks for. Each client for programs has
 * some of its own (`x-stainless-*` of OpenAI's), and none of them lets it do more.
 */
function allowedHeaders(asked: string | undefined): string {
  const names = (asked ?? 'authorization, content-type, idempotency-key').toLowerCase().split(',');
  return names
    .map((name) => name.trim())
    .filter((name) => /^[\w-]{1,100}$/.test(name) && name !== OWN_HEADER)
    .slice(0, 50)
    .join(', ');
}

/** Says of an origin that is not this server's own if its pages may send a request. */
export type OriginRule = ReturnType<typeof createOriginRule>;

/** The origins of `allowedOrigins`; on this machine the extensions that were paired here as well. */
export function createOriginRule(
  allowedOrigins: readonly string[],
  pairing: Pick<Pairing, 'has'> | null,
) {
  const allowed = new Set(allowedOrigins);
  return {
    /** True if every origin may be answered in another way. */
    differs: allowed.size > 0 || pairing !== null,
    allows: (origin: string, request: FastifyRequest): boolean =>
      allowed.has(origin) || (pairing?.has(origin) === true && isFromThisMachine(request)),
  };
}

/**
 * Lets the pages of this server and of other origins by a rule use the routes of `app`, and no other page.
 * The hook belongs to the routes and not to an address, so no spelling of a path gets past it.
 * Programs that are no browser send no origin and pass; tokens are for those. `answerPreflight` is
 * for the routes' OPTIONS.
 */
export function guardOrigins(app: FastifyInstance, rule: OriginRule): void {
  /**
   * Origins already logged, each once: only the log shows the operator why a page sees "no answer".
   */
  const told = new Set<string>();
  const tell = (origin: string): void => {
    if (told.has(origin) || told.size >= MOST_ORIGINS_TOLD || !/^[\w.:/[\]-]{1,270}$/.test(origin))
      return;
    told.add(origin);
    app.log.warn(`a page of ${origin} was refused; if it may ask, put that into ALLOWED_ORIGINS`);
  };

  app.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers;
    if (rule.differs) reply.header('vary', 'origin');
    if (origin === undefined || isSameOrigin(request)) return;
    if (!rule.allows(origin, request)) {
      tell(origin);
      // Reading is stopped by the browser; a POST must be stopped here.
      if (request.method === 'GET' || request.method === 'HEAD') return;
      throw originNotAllowed();
    }
    reply.headers({
      'access-control-allow-origin': origin,
      'access-control-expose-headers': 'retry-after, x-request-id',
    });
    if (request.method !== 'OPTIONS') return;
    return reply
      .headers({
        'access-control-allow-methods': 'GET, POST',
        'access-control-allow-headers': allowedHeaders(
          request.headers['access-control-request-headers'],
        ),
        vary: 'origin, access-control-request-headers',
        'access-control-max-age': PREFLIGHT_MAX_AGE_S,
      })
      .code(204)
      .send();
  });
}

/**
 * Throws `origin_not_allowed` (403) for a page that is neither this server's nor allowed by the rule:
 * browsers open WebSockets for every page, and let it read.
 */
export function requireOrigin(request: FastifyRequest, rule: OriginRule): void {
  const { origin } = request.headers;
  if (origin === undefined || isSameOrigin(request) || rule.allows(origin, request)) return;
  throw originNotAllowed();
}

function originNotAllowed(): ApiError {
  const message = 'Pages of this origin may not use this server.';
  return new ApiError(403, 'origin_not_allowed', message);
}

/**
 * True if a request is from a page of this server, or from no page at all. The browser says so
 * itself (`sec-fetch-site`), which counts, as a reverse proxy may have changed the host. It says
 * `none` of an address that somebody typed, and of what an extension sends that may read all sites:
 * only the latter has an origin. Else the host decides to which the request was sent.
 */
export function isSameOrigin(request: FastifyRequest): boolean {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'none') return site === 'same-origin';
  const { origin } = request.headers;
  if (origin === undefined) return true;
  return URL.canParse(origin) && new URL(origin).host === request.host;
}

/**
 * True if it comes from a program on this machine, and not through a proxy on it: then the sender's
 * address would be this machine's, whoever asks.
 */
export function isFromThisMachine({ headers, socket, hostname }: FastifyRequest): boolean {
  const isForwarded = ['x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via'].some(
    (name) => headers[name] !== undefined,
  );
  const address = (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  const isLoopback = address.startsWith('127.') || address === '::1';
  const isNamedSo = /^(localhost|.+\.localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
  return isLoopback && isNamedSo && !isForwarded;
}

/** The callers who may ask for transcriptions. */
export type AccessOptions = {
  /** Tokens, one of which must be sent; none: nobody is asked. */
  readonly apiTokens: readonly string[];
  /** Origins whose pages may ask besides the server's own, such as `https://app.example.com`. */
  readonly allowedOrigins: readonly string[];
  /** The proxies whose word on the client's address (X-Forwarded-*) is believed. */
  readonly trustProxy: TrustedProxies;
  /** Names besides `localhost` that this server answers to; `*.example.com` for all below one. */
  readonly publicHosts: readonly string[];
  /** The address or name it listens on, one more name; `0.0.0.0` and `::` are all addresses. */
  readonly host: string;
  /** The way the log names a client. */
  readonly logClients: LogClients;
};

/** Everybody, from the server's own pages on this machine. */
export const OPEN_ACCESS: AccessOptions = {
  apiTokens: [],
  allowedOrigins: [],
  trustProxy: false,
  publicHosts: [],
  host: '127.0.0.1',
  logClients: 'hash',
};

/**
 * The key under which an address is counted. An IPv4 address is itself, also when written as IPv6
 * (`::ffff:192.0.2.1`). An IPv6 address is its /64, which is what one household or one phone is
 * given. Other text is its own key.
 */
export function clientKey(address: string): string {
  const bare = address.replace(/%.*$/, '').toLowerCase();
  if (!isIPv6(bare)) return bare;
  const groups = groupsOf(bare);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped) return dotted(groups[6] ?? 0, groups[7] ?? 0);
  const network = groups.slice(0, 4).map((group) => group.toString(16));
  return `${network.join(':')}::/64`;
}

/** The eight groups of a valid IPv6 address. */
function groupsOf(address: string): readonly number[] {
  const [head = '', tail] = address.split('::');
  const before = parse(head);
  if (tail === undefined) return before;
  const after = parse(tail);
  const zeros = new Array<number>(Math.max(0, 8 - before.length - after.length)).fill(0);
  return [...before, ...zeros, ...after];
}

function parse(text: string): readonly number[] {
  const groups = text.split(':').filter((group) => group !== '');
  return groups.flatMap((group) => {
    if (!isIPv4(group)) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** The ways the log names a client's address: a name for it, the address itself, or nothing. */
export const LOG_CLIENTS = ['hash', 'plain', 'none'] as const;

/** One of them. */
type LogClients = (typeof LOG_CLIENTS)[number];

const NAME_CHARACTERS = 12;

/**
 * Makes the log's name for an address; null is none. A hash has a random key that ends with this
 * process: it tells one client's lines from another's, and nobody finds the address by trying all
 * there are.
 */
export function createClientNames(kind: LogClients): (address: string) => string | null {
  switch (kind) {
    case 'none':
      return () => null;
    case 'plain':
      return (address) => address;
    case 'hash': {
      const key = randomBytes(32);
      return (address) =>
        createHmac('sha256', key)
          .update(clientKey(address))
          .digest('base64url')
          .slice(0, NAME_CHARACTERS);
    }
  }
}

/** The cookie in which a page of this server, or a proxy in front of it, sends the token. */
export const TOKEN_COOKIE = 'diktera_token';

/** The part of a token that may be written down: the beginning of its SHA-256, in hex. */
type TokenId = string;

const ID_CHARACTERS = 8;
const ACCOUNT_CHARACTERS = 16;

/** The tokens of a server. */
export type Tokens = ReturnType<typeof createTokens>;

/** Makes the tokens of a server; without any everybody passes. */
export function createTokens(tokens: readonly string[]) {
  const known = tokens.map(digest);
  const accounts = new Map(tokens.map((token) => [shortId(digest(token)), accountName(token)]));

  function idOf(token: string): TokenId | null {
    const given = digest(token);
    const matches = known.filter((one) => timingSafeEqual(one, given));
    return matches.length > 0 ? shortId(given) : null;
  }

  function idIn(request: FastifyRequest): TokenId | null {
    if (known.length === 0) return null;
    const { authorization } = request.headers;
    if (authorization !== undefined) {
      return idOf(/^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? '');
    }
    const named = protocolToken(request.headers['sec-websocket-protocol'] ?? '');
    if (named !== null) return idOf(named);
    return isSameOrigin(request) ? idOf(cookieIn(request.headers.cookie ?? '')) : null;
  }

  return {
    /** False when nobody needs one. */
    areNeeded: known.length > 0,
    /** The id of `token` when it is one of them, else null. In constant time. */
    idOf,
    /**
     * The name by which pages tell the one who has a token apart from others; it says nothing of the token itself.
     */
    accountOf: (id: TokenId): string | null => accounts.get(id) ?? null,
    /**
     * The id of the token a request carries, null without a valid one. It stands in `Authorization:
     * Bearer`, in a name of a WebSocket's protocol as OpenAI's clients write it in pages, which can
     * send no head, or in the cookie when no foreign page sent the request: browsers add cookies by
     * themselves.
     */
    idIn,
    /** The same, but throws `unauthorized` (401) where a token is needed and none is known. */
    require(request: FastifyRequest, reply: FastifyReply): TokenId | null {
      const id = idIn(request);
      if (id !== null || known.length === 0) return id;
      reply.header('www-authenticate', 'Bearer');
      const message = 'Send a valid token as Authorization: Bearer, or sign in at /sign-in.';
      throw new ApiError(401, 'unauthorized', message);
    },
  };
}

/** The token among the names of a WebSocket's protocols; null when there is none. */
function protocolToken(header: string): string | null {
  const names = header.split(',').map((name) => name.trim());
  const start = 'openai-insecure-api-key.';
  return names.find((name) => name.startsWith(start))?.slice(start.length) ?? null;
}

/** The token in a Cookie header, '' when there is none. */
function cookieIn(header: string): string {
  const start = `${TOKEN_COOKIE}=`;
  const cookies = header.split(';').map((cookie) => cookie.trim());
  const value = cookies.find((cookie) => cookie.startsWith(start))?.slice(start.length) ?? '';
  try {
    return decodeURIComponent(value.replace(/^"(.*)"$/, '$1'));
  } catch {
    return '';
  }
}

function shortId(hash: Buffer): TokenId {
  return hash.toString('hex').slice(0, ID_CHARACTERS);
}

function accountName(token: string): string {
  const mac = createHmac('sha256', token).update('diktera account').digest('hex');
  return mac.slice(0, ACCOUNT_CHARACTERS);
}

/** A digest has the same length for all tokens, as the comparison needs. */
function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** The caller, as far as shares and keys go. */
export type Caller = {
  /**
   * The key of limits and turns: the address, and the token where tokens are needed. This tells
   * colleagues behind one address apart, and machines that share a token.
   */
  readonly client: string;
  /** The space of request keys: the token where tokens are needed, else the address. */
  readonly keySpace: string;
  /** The token's id; null where none is needed. */
  readonly tokenId: string | null;
};

/**
 * In which account what is sent was dictated. A page that has been open since before somebody else
 * signed in must not send it under their token.
 */
const ACCOUNT_HEADER = 'diktera-account';

/**
 * Says who asks; throws `unauthorized` (401) when the token that is needed is missing, and
 * `other_account` (401) when it is another's.
 */
type CallerCheck = (request: FastifyRequest, reply: FastifyReply) => Caller;

/** Makes the check of a server with these tokens. */
export function createCallerCheck(tokens: Tokens): CallerCheck {
  return (request, reply) => {
    const tokenId = tokens.require(request, reply);
    const meant = request.headers[ACCOUNT_HEADER];
    if (tokenId !== null && meant !== undefined && meant !== tokens.accountOf(tokenId)) {
      throw new ApiError(401, 'other_account', 'This is of another account than is signed in.');
    }
    const address = clientKey(clientAddress(request));
    if (tokenId === null) return { client: address, keySpace: address, tokenId };
    return { client: `${tokenId} ${address}`, keySpace: tokenId, tokenId };
  };
}
