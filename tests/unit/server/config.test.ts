import { describe, expect, test } from 'vitest';
import { readConfig } from '../../../server/config/config.ts';
import { ConfigError } from '../../../server/config/env-reader.ts';
import { helpText, VARIABLES } from '../../../server/config/variables.ts';

const DEFAULTS = {
  port: 5_180,
  host: '127.0.0.1',
  basePath: '',
  metrics: null,
  webRoot: null,
  retiresWorker: false,
  logLevel: 'info',
  logFile: null,
  limits: {
    concurrency: 4,
    maxWaiting: 64,
    maxUploadBytes: 32 * 1024 * 1024,
    maxAudioMs: 600_000,
    maxPerMinute: 600,
    maxUploadsPerClient: 32,
    maxAudioMsPerClient: 1_800_000,
    maxConnectionsPerAddress: 1_000,
    maxHeldBytes: 256 * 1024 * 1024,
    maxHeldBytesPerClient: 64 * 1024 * 1024,
    maxMemoryBytes: Number.POSITIVE_INFINITY,
  },
  access: {
    apiTokens: [],
    allowedOrigins: [],
    trustProxy: false,
    publicHosts: [],
    host: '127.0.0.1',
    logClients: 'hash',
  },
  pairingFile: null,
  redisUrl: null,
  telemetryUrl: null,
  stopMs: 10_000,
  decoders: 4,
  ffmpegPath: null,
  engines: {
    main: 'embedded',
    routes: new Map(),
    defaultLanguage: null,
    local: [],
    proxies: null,
    openai: null,
    whisperCpp: null,
    transformers: null,
    freePieces: true,
  },
  modelFetch: 'loopback',
  vocabularyFile: null,
  hasEngineSpare: true,
};

test('without any variable: this machine only, port 5180, a slot for each core', () => {
  expect(readConfig({}, 4)).toEqual(DEFAULTS);
  expect(readConfig({ PORT: '', HOST: ' ', ASR_ROUTES: '' }, 4)).toEqual(DEFAULTS);
});

test('every variable counts', () => {
  const env = {
    PORT: '0',
    HOST: '::1',
    WEB_ROOT: '/srv/web',
    RETIRE_SERVICE_WORKER: 'true',
    LOG_LEVEL: 'debug',
    CONCURRENCY: ' 2 ',
    MAX_WAITING: '8',
    MAX_UPLOAD_MB: '100',
    MAX_AUDIO_S: '3600',
    RATE_LIMIT_PER_MINUTE: '0',
    TRUST_PROXY: 'loopback, 10.0.0.0/8',
    METRICS_PORT: '9464',
    METRICS_HOST: '0.0.0.0',
    PUBLIC_HOSTS: 'Dikt.example.se,*.example.org',
    UPLOADS_PER_CLIENT: '5',
    AUDIO_S_PER_CLIENT: '120',
    CONNECTIONS_PER_ADDRESS: '50',
    MEMORY_LIMIT_MB: '1000',
    LOG_CLIENTS: 'none',
    API_TOKENS: 'a-token-of-16-chars, another-token-of-16',
    ALLOWED_ORIGINS: 'https://app.example.com,http://localhost:3000',
    PAIRING_FILE: '/var/lib/diktera/paired.json',
    REDIS_URL: 'redis://:secret@valkey:6379/1',
    DECODERS: '3',
    FFMPEG: process.execPath,
    ENGINE_SPARE: 'false',
    STOP_S: '60',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
  };
  expect(readConfig(env, 8)).toEqual({
    ...DEFAULTS,
    port: 0,
    host: '::1',
    metrics: { port: 9_464, host: '0.0.0.0' },
    webRoot: '/srv/web',
    retiresWorker: true,
    logLevel: 'debug',
    limits: {
      concurrency: 2,
      maxWaiting: 8,
      maxUploadBytes: 100 * 1024 * 1024,
      maxAudioMs: 3_600_000,
      maxPerMinute: 0,
      maxUploadsPerClient: 5,
      maxAudioMsPerClient: 120_000,
      maxConnectionsPerAddress: 50,
      maxHeldBytes: 400 * 1024 * 1024,
      maxHeldBytesPerClient: 200 * 1024 * 1024,
      maxMemoryBytes: 1_000 * 1024 * 1024,
    },
    access: {
      apiTokens: ['a-token-of-16-chars', 'another-token-of-16'],
      allowedOrigins: ['https://app.example.com', 'http://localhost:3000'],
      trustProxy: ['loopback', '10.0.0.0/8'],
      publicHosts: ['dikt.example.se', '*.example.org'],
      host: '::1',
      logClients: 'none',
    },
    decoders: 3,
    ffmpegPath: process.execPath,
    pairingFile: '/var/lib/diktera/paired.json',
    redisUrl: 'redis://:secret@valkey:6379/1',
    telemetryUrl: 'http://collector:4318',
    stopMs: 60_000,
    hasEngineSpare: false,
  });
});

test.each<[boolean, Record<string, string>]>([
  [true, {}],
  [true, { ASR_ENGINE: 'transformers' }],
  [true, { WHISPERCPP_URL: 'http://127.0.0.1:8080' }],
  [true, { WHISPERCPP_URL: 'http://[::1]:8080' }],
  [true, { WHISPERCPP_URL: 'http://whisper:8080' }],
  [true, { OPENAI_BASE_URL: 'http://192.168.1.20:8000/v1' }],
  [true, { OPENAI_BASE_URL: 'http://[fd00::20]:8000/v1', OPENAI_API_KEY: 'key' }],
  [true, { OPENAI_BASE_URL: 'http://host.docker.internal:8000/v1' }],
  [false, { OPENAI_API_KEY: 'key' }],
  [false, { OPENAI_BASE_URL: 'https://asr.example.com/v1' }],
  [false, { OPENAI_BASE_URL: 'https://8.8.8.8/v1' }],
  [false, { WHISPERCPP_URL: 'https://whisper.example.com' }],
  [false, { ASR_ENGINE: 'embedded', OPENAI_API_KEY: 'key', ASR_ROUTES: 'sv=openai' }],
  [true, { ASR_ENGINE: 'embedded', OPENAI_API_KEY: 'key' }],
  [true, { OPENAI_API_KEY: 'key', FREE_PIECES: 'true' }],
  [false, { FREE_PIECES: 'false' }],
])('short requests cost nothing: %s with %o', (expected, env) => {
  expect(readConfig(env, 1).engines.freePieces).toBe(expected);
});

test('a spare engine is kept where there is memory for it, or where somebody says so', () => {
  const GIB = 1024 ** 3;
  expect(readConfig({}, 1, 2 * GIB).hasEngineSpare).toBe(true);
  expect(readConfig({}, 1, GIB / 2).hasEngineSpare).toBe(false);
  expect(readConfig({ ENGINE_SPARE: 'true' }, 1, GIB / 2).hasEngineSpare).toBe(true);
});

describe('engines', () => {
  const engines = (env: Record<string, string>) => readConfig(env, 1).engines;

  test('auto takes what has an address or a key', () => {
    expect(engines({}).main).toBe('embedded');
    expect(engines({ WHISPERCPP_URL: 'http://w:8080/' })).toMatchObject({
      main: 'whispercpp',
      whisperCpp: { url: 'http://w:8080', timeoutMs: 100_000, defaultLanguage: null },
    });
    expect(engines({ OPENAI_API_KEY: 'k' })).toMatchObject({
      main: 'openai',
      openai: {
        baseUrl: 'https://api.openai.com/v1',
        apiKey: 'k',
        model: 'whisper-1',
      },
    });
    expect(engines({ OPENAI_BASE_URL: 'http://s:8000/v1', ASR_ENGINE: 'embedded' })).toMatchObject({
      main: 'embedded',
      openai: null,
    });
  });

  test('a model of one language is told that language', () => {
    const env = { OPENAI_BASE_URL: 'http://s/v1', OPENAI_LANGUAGES: 'sv' };
    expect(engines(env).openai).toMatchObject({ languages: ['sv'], defaultLanguage: 'sv' });
  });

  test('routes by language', () => {
    const env = {
      ASR_ENGINE: 'embedded',
      ASR_ROUTES: 'sv=openai, en=embedded',
      OPENAI_BASE_URL: 'http://s/v1',
      ASR_DEFAULT_LANGUAGE: 'sv',
    };
    const { routes, openai, defaultLanguage } = engines(env);
    expect([...routes]).toEqual([
      ['sv', 'openai'],
      ['en', 'embedded'],
    ]);
    expect(openai?.baseUrl).toBe('http://s/v1');
    expect(defaultLanguage).toBe('sv');
  });

  test.each([
    [{ ASR_ENGINE: 'openai' }, /OPENAI_BASE_URL or OPENAI_API_KEY/],
    [{ ASR_ENGINE: 'whispercpp' }, /WHISPERCPP_URL must be set/],
    [{ ASR_ROUTES: 'sv=whisper' }, /ASR_ROUTES must be pairs/],
    [{ ASR_ROUTES: 'sv=embedded' }, /embedded engine writes en only/],
    [{ ASR_ROUTES: 'sv=openai' }, /OPENAI_BASE_URL or OPENAI_API_KEY/],
    [{ ASR_DEFAULT_LANGUAGE: 'sv' }, /which no engine here writes/],
    [{ OPENAI_BASE_URL: 'ftp://x' }, /OPENAI_BASE_URL must be an address/],
    [{ OPENAI_BASE_URL: 'https://s/v1?x=1' }, /OPENAI_BASE_URL must be .* without \? and #/],
    [{ OPENAI_BASE_URL: 'https://s/v1#y' }, /OPENAI_BASE_URL must be .* without \? and #/],
    [{ BASE_PATH: 'https://host/diktera' }, /BASE_PATH must be a path/],
    [{ BASE_PATH: 'diktera' }, /BASE_PATH must be a path/],
    [{ WHISPERCPP_URL: 'http://w', HTTP_PROXY: 'socks5://p:1080' }, /HTTP_PROXY must be/],
    [{ WHISPERCPP_URL: 'http://w', https_proxy: 'socks5://p:1080' }, /HTTPS_PROXY must be/],
    [{ WHISPERCPP_URL: 'http://w', WHISPERCPP_LANGUAGES: 'swedish' }, /WHISPERCPP_LANGUAGES/],
    [{ ALLOWED_ORIGINS: 'https://*.example' }, /ALLOWED_ORIGINS must be like/],
    [{ ALLOWED_ORIGINS: 'app.example.com' }, /ALLOWED_ORIGINS must be like/],
    [{ EXTENSION_IDS: 'chrome-extension://x' }, /EXTENSION_IDS must be ids of 32 letters/],
    [{ TRUST_PROXY: 'yes' }, /TRUST_PROXY must be false, a number of hops/],
  ])('%j is refused', (env, message) => {
    expect(() => readConfig(env as Record<string, string>, 1)).toThrow(message);
  });
});

test('proxies count for speech servers only, and by either case of their names', () => {
  const env = { http_proxy: 'proxy:3128', HTTPS_PROXY: 'http://other:3128', no_proxy: 'a,b' };
  expect(readConfig({ ...env, WHISPERCPP_URL: 'http://w' }, 1).engines.proxies).toEqual({
    http: 'http://proxy:3128',
    https: 'http://other:3128',
    exempt: 'a,b',
  });
  expect(readConfig({ ...env, HTTP_PROXY: 'socks5://p' }, 1).engines.proxies).toBeNull();
});

test('secrets are never repeated', () => {
  const env = { API_TOKENS: 'hush', REDIS_URL: 'hush://:hush@host', OPENAI_BASE_URL: 'hush' };
  let message = '';
  try {
    readConfig(env, 1);
  } catch (error) {
    message = String(error);
  }
  expect(message).toMatch(/API_TOKENS[\s\S]*REDIS_URL[\s\S]*OPENAI_BASE_URL/);
  expect(message).not.toContain('hush');
});

test('help names every variable', () => {
  for (const name of Object.keys(VARIABLES)) expect(helpText()).toContain(`  ${name} `);
});

test('names everything that is wrong at once', () => {
  const env = { PORT: '80a', HOST: 'http://x', LOG_LEVEL: 'loud', CONCURRENCY: '0' };
  expect(() => readConfig(env, 1)).toThrow(ConfigError);
  expect(() => readConfig(env, 1)).toThrow(
    /HOST must[\s\S]*PORT must.*0 to 65535.*'80a'[\s\S]*LOG_LEVEL must[\s\S]*CONCURRENCY must.*'0'/,
  );
});

test.each(['-1', '65536', '1e3', '0x50', '5180.5', 'NaN'])('PORT=%s is refused', (port) => {
  expect(() => readConfig({ PORT: port }, 1)).toThrow(ConfigError);
});

test('Transformers.js finds no language out, so an empty one means the first of its list', () => {
  const defaultOf = (env: Readonly<Record<string, string>>) =>
    readConfig({ ASR_ENGINE: 'transformers', ...env }, 4).engines.transformers?.defaultLanguage;
  expect(defaultOf({})).toBe('sv');
  expect(defaultOf({ TRANSFORMERS_LANGUAGES: 'en,sv' })).toBe('en');
  expect(defaultOf({ TRANSFORMERS_LANGUAGES: 'en,sv', ASR_DEFAULT_LANGUAGE: 'sv' })).toBe('sv');
});

test.each([
  ['API_TOKEN', 'API_TOKENS'],
  ['API_TOKNES', 'API_TOKENS'],
  ['api_tokens', 'API_TOKENS'],
  ['APITOKENS', 'API_TOKENS'],
  ['TRUST_PROXYS', 'TRUST_PROXY'],
  ['ALOWED_ORIGINS', 'ALLOWED_ORIGINS'],
  ['PUBLIC_HOST', 'PUBLIC_HOSTS'],
  ['METRIC_PORT', 'METRICS_PORT'],
  ['RATE-LIMIT-PER-MINUTE', 'RATE_LIMIT_PER_MINUTE'],
])('%s is taken for a misspelt %s, and nothing starts', (given, meant) => {
  expect(() => readConfig({ [given]: 'x' }, 1)).toThrow(
    `${given} is no setting of this server; is ${meant} meant?`,
  );
});

test('what other programs have in an environment is no misspelling', () => {
  const names =
    'HOME HOSTNAME PATH PWD SHELL USER LANG TERM NODE_ENV NODE_OPTIONS CI PORTS HOSTS POST OPENAI_ORG_ID ' +
    'OPENAI_API_BASE KUBERNETES_PORT KUBERNETES_SERVICE_HOST REDIS_HOST REDIS_URI npm_config_cache LOGNAME';
  const env = Object.fromEntries(names.split(' ').map((name) => [name, 'x']));
  expect(readConfig(env, 4)).toEqual(DEFAULTS);
});

test.each(['API_TOKENS', 'ALLOWED_ORIGINS', 'PUBLIC_HOSTS', 'TRUST_PROXY', 'ASR_ROUTES'])(
  '%s of nothing but commas and spaces is refused',
  (name) => {
    for (const value of [' , ', ',', ' ']) {
      expect(() => readConfig({ [name]: value }, 1)).toThrow(`${name} is set, but nothing`);
    }
    expect(readConfig({ [name]: '' }, 4)).toEqual(DEFAULTS);
  },
);

test.each<[string, unknown]>([
  ['false', false],
  ['0', false],
  ['true', 1],
  ['3', 3],
  ['loopback', ['loopback']],
  ['uniquelocal,2001:db8::/32, 192.0.2.1', ['uniquelocal', '2001:db8::/32', '192.0.2.1']],
])('TRUST_PROXY=%s', (value, trusted) => {
  expect(readConfig({ TRUST_PROXY: value }, 1).access.trustProxy).toEqual(trusted);
});

test.each([
  { TRUST_PROXY: '11' },
  { TRUST_PROXY: '10.0.0.0/33' },
  { TRUST_PROXY: '10.0.0' },
  { TRUST_PROXY: '1,loopback' },
  { PUBLIC_HOSTS: 'https://dikt.example.se' },
  { PUBLIC_HOSTS: 'dikt.example.se:443' },
  { API_TOKENS: 'a token with spaces in it' },
  { LOG_CLIENTS: 'yes' },
  { METRICS_PORT: '5180' },
  { METRICS_HOST: 'http://x' },
  { MEMORY_LIMIT_MB: '1' },
])('%j is refused', (env) => {
  const [name = ''] = Object.keys(env);
  expect(() => readConfig(env as Record<string, string>, 1)).toThrow(`${name} must`);
});

test('of the memory there is four fifths may be used', () => {
  const GIB = 1024 ** 3;
  expect(readConfig({}, 1, 2 * GIB).limits.maxMemoryBytes).toBe(1_638 * 1024 * 1024);
});

test('a browser extension is let in by its id, as the origin that its pages have', () => {
  const { access } = readConfig(
    {
      ALLOWED_ORIGINS: 'https://app.example.com',
      EXTENSION_IDS: 'abcdefghijklmnopabcdefghijklmnop',
    },
    1,
  );
  expect(access.allowedOrigins).toEqual([
    'https://app.example.com',
    'chrome-extension://abcdefghijklmnopabcdefghijklmnop',
  ]);
});
