import { isIP } from 'node:net';
import { type AccessOptions, LOG_CLIENTS } from '../access/callers.ts';
import { parseNetworks, type TrustedProxies } from '../access/trusted-proxies.ts';
import { DEFAULT_LIMITS, type ServerLimits } from '../core/limits.ts';
import { findProgram, isProgram } from '../core/system.ts';
import type { EngineOptions } from '../engine/engine-set.ts';
import { readEngineConfig } from './engine-config.ts';
import {
  createEnvReader,
  type Environment,
  type EnvReader,
  findMisspellings,
} from './env-reader.ts';

const MIN_TOKEN_CHARACTERS = 16;
const MAX_HOPS = 10;

/** Reads who may ask; problems go to `reader`. `host` is what the server listens on. */
function readAccessConfig(reader: EnvReader, host: string): AccessOptions {
  return {
    apiTokens: readTokens(reader),
    allowedOrigins: [...readOrigins(reader), ...readExtensions(reader)],
    trustProxy: readTrustedProxies(reader),
    publicHosts: readHosts(reader),
    host,
    logClients: reader.oneOf('LOG_CLIENTS', LOG_CLIENTS, 'hash'),
  };
}

function readTokens(reader: EnvReader): readonly string[] {
  const tokens = reader.list('API_TOKENS');
  if (tokens.some((token) => token.length < MIN_TOKEN_CHARACTERS)) {
    reader.complain(`API_TOKENS must have at least ${MIN_TOKEN_CHARACTERS} characters each`);
  }
  if (tokens.some((token) => !/^[\x21-\x7e]*$/.test(token))) {
    reader.complain('API_TOKENS must be visible ASCII characters without spaces');
  }
  return tokens;
}

function readOrigins(reader: EnvReader): readonly string[] {
  const origins = reader.list('ALLOWED_ORIGINS');
  for (const origin of origins) {
    const isOne = URL.canParse(origin) && new URL(origin).origin === origin;
    // An asterisk can stand in an address, and matches nothing but itself.
    if (!isOne || origin.includes('*')) {
      reader.complain(`ALLOWED_ORIGINS must be like https://app.example.com, not '${origin}'`);
    }
  }
  return origins;
}

/** The origins of browser extensions; Chrome and Edge write an id in the letters a to p. */
function readExtensions(reader: EnvReader): readonly string[] {
  const ids = reader.list('EXTENSION_IDS');
  for (const id of ids) {
    if (!/^[a-p]{32}$/.test(id))
      reader.complain(`EXTENSION_IDS must be ids of 32 letters from a to p, not '${id}'`);
  }
  return ids.map((id) => `chrome-extension://${id}`);
}

function readHosts(reader: EnvReader): readonly string[] {
  const hosts = reader.list('PUBLIC_HOSTS');
  for (const host of hosts) {
    if (host !== '*' && isIP(host) === 0 && !/^(\*\.)?[\w-]+(\.[\w-]+)*$/.test(host)) {
      const message = `PUBLIC_HOSTS must be names such as dikt.example.se, without http:// and port, not '${host}'`;
      reader.complain(message);
    }
  }
  return hosts.map((host) => host.toLowerCase());
}

/** `true` is one hop: the one proxy most people have. */
function readTrustedProxies(reader: EnvReader): TrustedProxies {
  const words = reader.list('TRUST_PROXY');
  const [first, ...others] = words;
  if (first === undefined) return false;
  if (others.length === 0) {
    if (first === 'false' || first === '0') return false;
    if (first === 'true') return 1;
    if (/^\d+$/.test(first) && Number(first) <= MAX_HOPS) return Number(first);
  }
  const wrong = words.find((word) => parseNetworks(word) === null);
  if (wrong === undefined) return words;
  reader.complain(
    `TRUST_PROXY must be false, a number of hops from 1 to ${MAX_HOPS}, or networks such as ` +
      `loopback,10.0.0.0/8, not '${wrong}'`,
  );
  return false;
}

/** The settings of the server; `variables.ts` says what each variable means. */
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
  /** File that remembers paired extensions; null: the platform's place; 'none': no pairing. */
  readonly pairingFile: string | null;
  readonly redisUrl: string | null;
  /** Where OpenTelemetry goes; null: nowhere. */
  readonly telemetryUrl: string | null;
  readonly stopMs: number;
  /** Decoding processes. */
  readonly decoders: number;
  /** The program for files that the server does not decode; null: none. */
  readonly ffmpegPath: string | null;
  readonly engines: EngineOptions;
  /** Names, terms and snippets for all; null: none. */
  readonly vocabularyFile: string | null;
  /** The people who may have a model fetched from the page. */
  readonly modelFetch: (typeof MODEL_FETCHERS)[number];
  /** True if a second process of the embedded engine is kept loaded. */
  readonly hasEngineSpare: boolean;
};

/** The limits an operator can set. */
type LimitName =
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
const MODEL_FETCHERS = ['loopback', 'callers', 'nobody'] as const;

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const;

/** The least level that is logged. */
export type LogLevel = (typeof LOG_LEVELS)[number];

const MIB = 1024 * 1024;

/** By default: decoding takes a tenth of what recognising does, and each process 70 MB. Two at least, so that no client has them all. */
const MAX_DECODERS = 4;

/** With less a second engine leaves too little for the rest. */
const MIN_MEMORY_FOR_SPARE = 1_024 * MIB;

/**
 * The share of the machine's or the container's memory; near all of it the system ends processes.
 */
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
    pairingFile: reader.text('PAIRING_FILE'),
    redisUrl: reader.url('REDIS_URL', ['redis', 'rediss']),
    decoders: reader.whole('DECODERS', 1, 64, Math.min(MAX_DECODERS, Math.max(2, cores))),
    ffmpegPath: readFfmpeg(reader, env.PATH ?? ''),
    telemetryUrl: reader.url('OTEL_EXPORTER_OTLP_ENDPOINT'),
    stopMs: reader.whole('STOP_S', 1, 600, 10) * 1000,
    engines: readEngineConfig(reader),
    vocabularyFile: reader.text('VOCABULARY_FILE'),
    modelFetch: reader.oneOf('MODEL_FETCH', MODEL_FETCHERS, 'loopback'),
    hasEngineSpare: reader.oneOf('ENGINE_SPARE', ['true', 'false'], roomForSpare) === 'true',
  };
  reader.finish();
  return config;
}

function readFfmpeg(reader: EnvReader, searchPath: string): string | null {
  const given = reader.text('FFMPEG');
  if (given === null) return findProgram('ffmpeg', searchPath);
  if (given === 'none') return null;
  const path = given.includes('/') || given.includes('\\') ? given : findProgram(given, searchPath);
  if (path !== null && isProgram(path)) return path;
  reader.complain(`FFMPEG must be a program that can be run, or none, not '${given}'`);
  return null;
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
