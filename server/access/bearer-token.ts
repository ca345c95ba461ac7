import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../api-error.ts';

/** Throws `unauthorized` (401) unless the request carries a token that is known. */
export type TokenCheck = (request: FastifyRequest, reply: FastifyReply) => void;

/** Checks bearer tokens in constant time; without any tokens everybody passes. */
export function createTokenCheck(tokens: readonly string[]): TokenCheck {
  const known = tokens.map(digest);
  return (request, reply) => {
    if (known.length === 0) return;
    const given = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const givenDigest = digest(given);
    const matches = known.filter((one) => timingSafeEqual(one, givenDigest));
    if (matches.length > 0) return;
    reply.header('www-authenticate', 'Bearer');
    throw new ApiError(401, 'unauthorized', 'Send a valid token as Authorization: Bearer.');
  };
}

/** Of one length for all, as the comparison wants it. */
function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
