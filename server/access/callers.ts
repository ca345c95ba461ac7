import type { FastifyReply, FastifyRequest } from 'fastify';
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

/** Says who asks; throws `unauthorized` (401) when the token that is needed is missing. */
export type CallerCheck = (request: FastifyRequest, reply: FastifyReply) => Caller;

/** Makes the check of a server with these tokens. */
export function createCallerCheck(tokens: Tokens): CallerCheck {
  return (request, reply) => {
    const tokenId = tokens.require(request, reply);
    const address = clientKey(clientAddress(request));
    if (tokenId === null) return { client: address, keySpace: address, tokenId };
    return { client: `${tokenId} ${address}`, keySpace: tokenId, tokenId };
  };
}
