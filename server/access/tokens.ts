import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../core/api-error.ts';
import { isSameOrigin } from './origins.ts';

/** The cookie in which a page of this server, or a proxy in front of it, sends the token. */
export const TOKEN_COOKIE = 'diktera_token';

/** What of a token may be written down: the beginning of its SHA-256, in hex. */
export type TokenId = string;

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
     * How pages tell the one who has a token apart from others; it says nothing of the token itself.
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

/** Of one length for all, as the comparison wants it. */
function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
