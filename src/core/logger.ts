/**
 * Where log lines go; `console` is one. The messages of the spec's error catalogue are in
 * `log-messages.ts` and stand first on the line. Never pass audio or a transcript.
 */
export type Logger = {
  error(message: string, ...details: readonly unknown[]): void;
  warn(message: string, ...details: readonly unknown[]): void;
  info(message: string, ...details: readonly unknown[]): void;
};
