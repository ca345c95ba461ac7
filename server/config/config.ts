import type { AccessOptions } from '../access/access-options.ts';
import { DEFAULT_LIMITS, type ServerLimits } from '../core/limits.ts';
import type { EngineOptions } from '../engine/engine-options.ts';
import { readAccessConfig } from './access-config.ts';
import { readEngineConfig } from './engine-config.ts';
import { createEnvReader, type Environment, type EnvReader } from './env-reader.ts';
import { findMisspellings } from './misspelt-names.ts';

/** How the server was told to run; `variables.ts` says what each variable means. */
export type ServerConfig = {
  readonly port: number;
  readonly host: string;
  /** Where figures and probes are served; null: nowhere. */
  readonly metrics: { readonly port: number; readonly host: string } | null;
  /** The path all of it is reached below, such as `/diktera`; empty for none. */
  readonly basePath: string;
  /** Null: the pages that were built with the server. */
  readonly webRoot: string | null;
  /** Browsers are to give up the pages' service worker. */
  readonly retiresWorker: boolean;
  readonly logLevel: LogLevel;
  /** Null: standard error. */
  readonly logFile: string | null;
  readonly limits: Pick<ServerLimits, LimitName>;
  readonly access: AccessOptions;
  readonly redisUrl: string | null;
  /** Where OpenTelemetry goes; null: nowhere. */
  readonly telemetryUrl: string | null;
  readonly stopMs: number;
  /** Decoding processes. */
  readonly decoders: number;
  readonly engines: EngineOptions;
  /** Who may have a model fetched from the page. */
  readonly modelFetch: (typeof MODEL_FETCHERS)[number];
  /** Whether a second process of the embedded engine is kept loaded. */
  readonly hasEngineSpare: boolean;
};

/** The limits an operator can set. */
export type LimitName =
  | 'concurrency'
  | 'maxWaiting'
  | 'maxUploadBytes'
  | 'maxAudioMs'
  | 'maxPerMinute'
  | 'maxUploadsPerClient'
  | 'maxAudioMsPerClient'
  | 'maxConnectionsPerAddress'
  | 'maxHeldBytes'
  | 'maxHeldBytesPerClient'
  | 'maxMemoryBytes';

/** Browsers on this machine, everybody who may transcribe, or nobody. */
export const MODEL_FETCHERS = ['loopback', 'callers', 'nobody'] as const;

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const;

/** How much is logged. */
export type LogLevel = (typeof LOG_LEVELS)[number];

const MIB = 1024 * 1024;

/** By default: decoding takes a tenth of what recognising does, and each process 70 MB. */
const MAX_DECODERS = 4;

/** With less a second engine leaves too little for the rest. */
const MIN_MEMORY_FOR_SPARE = 1_024 * MIB;

/** Of the machine's memory or the container's. At the rest the system ends processes. */
const MEMORY_SHARE = 0.8;

/**
 * Reads all variables. `cores` is how many this machine has, `memoryBytes` what its processes may
 * use. Throws a ConfigError that names all that is wrong at once, and never a key or a token.
 */
export function readConfig(
  env: Environment,
  cores: number,
  memoryBytes = Number.POSITIVE_INFINITY,
): ServerConfig {
  const reader = createEnvReader(env);
  for (const { given, meant } of findMisspellings(Object.keys(env))) {
    reader.complain(`${given} is no setting of this server; is ${meant} meant?`);
  }

  const host = readHost(reader, 'HOST');
  const port = reader.whole('PORT', 0, 65_535, 5_180);
  const maxUploadBytes = reader.whole('MAX_UPLOAD_MB', 1, 1_024, 32) * MIB;
  const maxAudioS = reader.whole('MAX_AUDIO_S', 1, 14_400, 600);
  const roomForSpare = memoryBytes >= MIN_MEMORY_FOR_SPARE ? 'true' : 'false';
  const memoryMib = Math.max(64, Math.floor((memoryBytes * MEMORY_SHARE) / MIB));

  const config: ServerConfig = {
    port,
    host,
    metrics: readMetrics(reader, port),
    basePath: readBasePath(reader),
    webRoot: reader.text('WEB_ROOT'),
    retiresWorker: reader.oneOf('RETIRE_SERVICE_WORKER', ['true', 'false'], 'false') === 'true',
    logLevel: reader.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
    logFile: reader.text('LOG_FILE'),
    limits: {
      concurrency: reader.whole('CONCURRENCY', 1, 64, Math.max(1, cores)),
      maxWaiting: reader.whole('MAX_WAITING', 0, 10_000, DEFAULT_LIMITS.maxWaiting),
      maxUploadBytes,
      maxAudioMs: maxAudioS * 1000,
      maxPerMinute: reader.whole('RATE_LIMIT_PER_MINUTE', 0, 1_000_000, 600),
      maxUploadsPerClient: reader.whole(
        'UPLOADS_PER_CLIENT',
        0,
        10_000,
        DEFAULT_LIMITS.maxUploadsPerClient,
      ),
      maxConnectionsPerAddress: reader.whole(
        'CONNECTIONS_PER_ADDRESS',
        0,
        1_000_000,
        DEFAULT_LIMITS.maxConnectionsPerAddress,
      ),
      // Room for a few of the longest and largest, at least.
      maxAudioMsPerClient:
        1000 *
        reader.whole(
          'AUDIO_S_PER_CLIENT',
          0,
          1_000_000,
          Math.max(DEFAULT_LIMITS.maxAudioMsPerClient / 1000, 3 * maxAudioS),
        ),
      maxHeldBytes: Math.max(DEFAULT_LIMITS.maxHeldBytes, 4 * maxUploadBytes),
      maxHeldBytesPerClient: Math.max(DEFAULT_LIMITS.maxHeldBytesPerClient, 2 * maxUploadBytes),
      maxMemoryBytes: reader.whole('MEMORY_LIMIT_MB', 64, 10_000_000, memoryMib) * MIB,
    },
    access: readAccessConfig(reader, host),
    redisUrl: reader.url('REDIS_URL', ['redis', 'rediss']),
    decoders: reader.whole('DECODERS', 1, 64, Math.min(MAX_DECODERS, Math.max(1, cores))),
    telemetryUrl: reader.url('OTEL_EXPORTER_OTLP_ENDPOINT'),
    stopMs: reader.whole('STOP_S', 1, 600, 10) * 1000,
    engines: readEngineConfig(reader),
    modelFetch: reader.oneOf('MODEL_FETCH', MODEL_FETCHERS, 'loopback'),
    hasEngineSpare: reader.oneOf('ENGINE_SPARE', ['true', 'false'], roomForSpare) === 'true',
  };
  reader.finish();
  return config;
}

function readHost(reader: EnvReader, name: 'HOST' | 'METRICS_HOST'): string {
  const host = reader.text(name) ?? '127.0.0.1';
  if (!/^[\w.:-]+$/.test(host)) {
    reader.complain(`${name} must be an address or a host name, without http://, not '${host}'`);
  }
  return host;
}

function readBasePath(reader: EnvReader): string {
  const path = (reader.text('BASE_PATH') ?? '').replace(/\/+$/, '');
  if (path === '' || /^(\/[A-Za-z0-9_~-][\w.~-]*)+$/.test(path)) return path;
  reader.complain(`BASE_PATH must be a path such as /diktera, without an address, not '${path}'`);
  return '';
}

function readMetrics(reader: EnvReader, pagesPort: number): ServerConfig['metrics'] {
  const host = readHost(reader, 'METRICS_HOST');
  if (reader.text('METRICS_PORT') === null) return null;
  const port = reader.whole('METRICS_PORT', 0, 65_535, 0);
  if (port !== 0 && port === pagesPort) {
    reader.complain('METRICS_PORT must be another one than PORT');
  }
  return { port, host };
}
