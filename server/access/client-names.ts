import { createHmac, randomBytes } from 'node:crypto';
import { clientKey } from './client-key.ts';

/** What the log says of a client's address: a name for it, the address itself, or nothing. */
export const LOG_CLIENTS = ['hash', 'plain', 'none'] as const;

/** One of them. */
export type LogClients = (typeof LOG_CLIENTS)[number];

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
