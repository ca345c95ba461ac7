/** How the server was told to run. */
export type ServerConfig = {
  /** 0 takes any free port. @default 5180 */
  readonly port: number;
  /** The address to listen on; `0.0.0.0` for all. @default 127.0.0.1 */
  readonly host: string;
  /** Folder of the built pages, relative to the working directory. @default dist/web */
  readonly webRoot: string;
  /** @default info */
  readonly logLevel: LogLevel;
  /** Transcriptions at once, 1 to 64. @default one for each core */
  readonly concurrency: number;
};

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const;

/** How much is logged. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The environment holds values that cannot be used; the message lists every one of them. */
export class ConfigError extends Error {
  override readonly name: string = 'ConfigError';
}

/**
 * Reads PORT, HOST, WEB_ROOT, LOG_LEVEL and CONCURRENCY; an empty variable counts as absent. `cores`
 * is how many this machine has. Throws a ConfigError that names all that is wrong at once.
 */
export function readConfig(
  env: Readonly<Record<string, string | undefined>>,
  cores: number,
): ServerConfig {
  const problems: string[] = [];
  const given = (name: string) => env[name]?.trim() || undefined;

  function whole(name: string, least: number, most: number, absent: number): number {
    const text = given(name);
    if (text === undefined) return absent;
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    problems.push(`${name} must be a whole number from ${least} to ${most}, not '${text}'`);
    return absent;
  }

  function logLevel(): LogLevel {
    const text = given('LOG_LEVEL') ?? 'info';
    const known = LOG_LEVELS.find((level) => level === text);
    if (known === undefined) {
      problems.push(`LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}, not '${text}'`);
    }
    return known ?? 'info';
  }

  function host(): string {
    const text = given('HOST') ?? '127.0.0.1';
    if (/^[\w.:-]+$/.test(text)) return text;
    problems.push(`HOST must be an address or a host name, without http://, not '${text}'`);
    return text;
  }

  const config: ServerConfig = {
    port: whole('PORT', 0, 65_535, 5_180),
    host: host(),
    webRoot: given('WEB_ROOT') ?? 'dist/web',
    logLevel: logLevel(),
    concurrency: whole('CONCURRENCY', 1, 64, Math.max(1, cores)),
  };
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return config;
}
