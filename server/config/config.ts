import type { AccessOptions } from '../access/access-options.ts';
import { DEFAULT_LIMITS, type ServerLimits } from '../limits.ts';
import { type EngineConfig, readEngineConfig } from './engine-config.ts';
import { createEnvReader, type Environment } from './env-reader.ts';

/** How the server was told to run; `variables.ts` says what each variable means. */
export type ServerConfig = {
  readonly port: number;
  readonly host: string;
  /** Null: the pages that were built with the server. */
  readonly webRoot: string | null;
  readonly logLevel: LogLevel;
  readonly limits: Pick<ServerLimits, LimitName>;
  readonly access: AccessOptions;
  readonly redisUrl: string | null;
  readonly stopMs: number;
  /** Decoding processes. */
  readonly decoders: number;
  readonly engines: EngineConfig;
};

/** The limits an operator can set. */
export type LimitName =
  | 'concurrency'
  | 'maxWaiting'
  | 'maxUploadBytes'
  | 'maxAudioMs'
  | 'maxPerMinute'
  | 'maxHeldBytes';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const;

/** How much is logged. */
export type LogLevel = (typeof LOG_LEVELS)[number];

const MIB = 1024 * 1024;

/** Unless told otherwise: decoding takes a tenth of what recognising does, and each process 60 MB. */
const MAX_DECODERS = 4;

const MIN_TOKEN_CHARACTERS = 16;

/**
 * Reads all variables. `cores` is how many this machine has. Throws a ConfigError that names all that
 * is wrong at once, and never a key or a token.
 */
export function readConfig(env: Environment, cores: number): ServerConfig {
  const reader = createEnvReader(env);

  const host = reader.text('HOST') ?? '127.0.0.1';
  if (!/^[\w.:-]+$/.test(host)) {
    reader.complain(`HOST must be an address or a host name, without http://, not '${host}'`);
  }
  const apiTokens = reader.list('API_TOKENS');
  if (apiTokens.some((token) => token.length < MIN_TOKEN_CHARACTERS)) {
    reader.complain(`API_TOKENS must have at least ${MIN_TOKEN_CHARACTERS} characters each`);
  }
  const allowedOrigins = reader.list('ALLOWED_ORIGINS');
  for (const origin of allowedOrigins) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin) {
      reader.complain(`ALLOWED_ORIGINS must be like https://app.example.com, not '${origin}'`);
    }
  }

  const maxUploadBytes = reader.whole('MAX_UPLOAD_MB', 1, 1_024, 32) * MIB;

  const config: ServerConfig = {
    port: reader.whole('PORT', 0, 65_535, 5_180),
    host,
    webRoot: reader.text('WEB_ROOT'),
    logLevel: reader.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
    limits: {
      concurrency: reader.whole('CONCURRENCY', 1, 64, Math.max(1, cores)),
      maxWaiting: reader.whole('MAX_WAITING', 0, 10_000, DEFAULT_LIMITS.maxWaiting),
      maxUploadBytes,
      maxAudioMs: reader.whole('MAX_AUDIO_S', 1, 14_400, 600) * 1000,
      maxPerMinute: reader.whole('RATE_LIMIT_PER_MINUTE', 0, 1_000_000, 600),
      // Room for a few of the largest, at least.
      maxHeldBytes: Math.max(DEFAULT_LIMITS.maxHeldBytes, 4 * maxUploadBytes),
    },
    access: {
      apiTokens,
      allowedOrigins,
      trustProxy: reader.oneOf('TRUST_PROXY', ['true', 'false'], 'false') === 'true',
    },
    redisUrl: reader.url('REDIS_URL', ['redis', 'rediss']),
    decoders: reader.whole('DECODERS', 1, 64, Math.min(MAX_DECODERS, Math.max(1, cores))),
    stopMs: reader.whole('STOP_S', 1, 600, 10) * 1000,
    engines: readEngineConfig(reader),
  };
  reader.finish();
  return config;
}
