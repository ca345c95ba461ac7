/** Who may ask for transcriptions. */
export type AccessOptions = {
  /** Bearer tokens, one of which must be sent; none: nobody is asked. */
  readonly apiTokens: readonly string[];
  /** Origins whose pages may ask besides the server's own, such as `https://app.example.com`. */
  readonly allowedOrigins: readonly string[];
  /** Whether X-Forwarded-* is believed, for a server behind a reverse proxy. */
  readonly trustProxy: boolean;
};

/** Everybody, from the server's own pages. */
export const OPEN_ACCESS: AccessOptions = { apiTokens: [], allowedOrigins: [], trustProxy: false };
