import type { LogClients } from './client-names.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/** Who may ask for transcriptions. */
export type AccessOptions = {
  /** Tokens, one of which must be sent; none: nobody is asked. */
  readonly apiTokens: readonly string[];
  /** Origins whose pages may ask besides the server's own, such as `https://app.example.com`. */
  readonly allowedOrigins: readonly string[];
  /** Whose word on the client's address (X-Forwarded-*) is believed. */
  readonly trustProxy: TrustedProxies;
  /** Names besides `localhost` that this server answers to; `*.example.com` for all below one. */
  readonly publicHosts: readonly string[];
  /** The address or name it listens on, one more name; `0.0.0.0` and `::` are all addresses. */
  readonly host: string;
  /** How the log names a client. */
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
