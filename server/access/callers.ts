import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../core/api-error.ts';
import { clientKey } from './client-key.ts';
import type { Tokens } from './tokens.ts';
import { clientAddress } from './trusted-proxies.ts';

/** Who asks, as far as shares and keys go. */
export type Caller = {
  /**
   * What limits and turns are counted by: the address, and the token where tokens are needed. So
   * colleagues behind one address are told apart, and so are machines that share a token.
   */
  readonly client: string;
  /** What keys of requests belong to: the token where tokens are needed, else the address. */
  readonly keySpace: string;
  /** The token's id; null where none is needed. */
  readonly tokenId: string | null;
};

/**
 * In which account what is sent was dictated. A page that has been open since before somebody else
 * signed in must not send it under their token.
 */
export const ACCOUNT_HEADER = 'diktera-account';

/**
 * Says who asks; throws `unauthorized` (401) when the token that is needed is missing, and
 * `other_account` (401) when it is another's.
 */
export type CallerCheck = (request: FastifyRequest, reply: FastifyReply) => Caller;

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
