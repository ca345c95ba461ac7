/** Every environment variable the server knows, with what `--help` says of it. */
export const VARIABLES = {
  PORT: 'port to listen on; 0 takes any free one (5180)',
  HOST: 'address to listen on; 0.0.0.0 for all (127.0.0.1)',
  METRICS_PORT: 'port for /metrics and probes, apart from the pages; 0 takes any free one (none)',
  METRICS_HOST: 'address that port listens on (127.0.0.1)',
  PUBLIC_HOSTS:
    'names people reach it by besides localhost and HOST, such as dikt.example.se or *.example.se (none)',
  BASE_PATH:
    'path it is reached below, such as /diktera; a proxy may pass it on or take it off (none)',
  WEB_ROOT: 'folder of the built pages (dist/web)',
  RETIRE_SERVICE_WORKER:
    'true or false: browsers give up the service worker that opens the pages without a network, and keep what was dictated (false)',
  LOG_LEVEL: 'fatal, error, warn, info, debug or silent (info)',
  LOG_FILE: 'file for the log, opened anew on SIGHUP (none: standard error)',
  CONCURRENCY: 'transcriptions at once, 1 to 64 (one for each core)',
  DECODERS: 'processes that decode uploads, 1 to 64; about 70 MB each (one for each core, 2 to 4)',
  FFMPEG:
    'program that decodes what the server does not (AAC, Vorbis, AIFF, AMR, Windows Media); none for no such files (ffmpeg, if it is in PATH)',
  MAX_WAITING: 'transcriptions that wait for a turn; more get 503 (64)',
  MAX_UPLOAD_MB: 'largest audio file in MiB, 1 to 1024; larger gets 413 (32)',
  MAX_AUDIO_S: 'longest audio in seconds, 1 to 14400; longer gets 413 (600)',
  RATE_LIMIT_PER_MINUTE:
    'transcriptions a minute for each client, 0 for no limit; more get 429 (600)',
  UPLOADS_PER_CLIENT:
    'recordings of one client under way at once, 0 for no limit; more get 429 (32)',
  AUDIO_S_PER_CLIENT:
    'seconds of audio of one client worked on at once, 0 for no limit; more get 429 (1800, or three times MAX_AUDIO_S)',
  CONNECTIONS_PER_ADDRESS:
    'connections of one address at once, 0 for no limit; more get 429. Those of TRUST_PROXY do not count (1000)',
  MEMORY_LIMIT_MB:
    'memory of the server and its processes in MiB; above it new work gets 503 (80 % of what there is)',
  TRUST_PROXY:
    'whose X-Forwarded-For counts: a number of hops, or networks such as loopback,10.0.0.0/8 (false)',
  API_TOKENS: 'tokens, separated by commas; one is then needed, in pages too (none)',
  LOG_CLIENTS: 'hash, plain or none: how the log names the addresses of clients (hash)',
  ALLOWED_ORIGINS:
    'pages of other origins that may transcribe, such as https://app.example.com (none)',
  EXTENSION_IDS:
    'browser extensions that may transcribe, by the ids that the browser shows for them (none)',
  PAIRING_FILE:
    "file that remembers the browser extensions paired at /pair, on this machine alone; none for no pairing (in the platform's folder for state)",
  REDIS_URL:
    'Redis or Valkey that keeps answers for several servers, such as redis://host:6379 (none)',
  OTEL_EXPORTER_OTLP_ENDPOINT:
    'where OpenTelemetry goes, such as http://collector:4318; its other OTEL_ variables count too (none)',
  STOP_S: 'how long running transcriptions may take after SIGTERM, in seconds (10)',
  ASR_ENGINE:
    'auto, embedded, openai, whispercpp or transformers; auto takes what has an address below (auto)',
  ASR_ROUTES: 'engine by language, such as sv=openai,en=embedded (none)',
  ASR_DEFAULT_LANGUAGE:
    "what an empty language means (the browser's, if it is here; without a browser embedded: en; transformers: its first; others find out)",
  ASR_LANGUAGES:
    'languages to write with models of its own, such as en,sv; those missing are fetched once (what is here)',
  DIKTERA_MODELS: "folder for fetched models (the platform's folder for caches)",
  DIKTERA_MODELS_URL:
    'addresses laid out like Hugging Face to fetch models from first; HF_ENDPOINT counts too (none)',
  VOCABULARY_FILE:
    'JSON file of names, terms and snippets for all who use the server, read anew when it changes (none)',
  MODEL_FETCH:
    'who may have a model fetched from the page: loopback (browsers on this machine), callers (all who may transcribe) or nobody (loopback)',
  ENGINE_SPARE:
    'true or false: a second process of the embedded engine, loaded, takes over when the first ends; about 180 MB (true from 1 GB of memory on)',
  FREE_PIECES:
    'true or false: a dictation may come in many short requests, nobody is billed by the request (true where every engine runs here or has a private address)',
  OPENAI_BASE_URL: 'an OpenAI-compatible server, up to and with /v1 (https://api.openai.com/v1)',
  OPENAI_API_KEY: 'its key (none)',
  OPENAI_MODEL: 'its model (whisper-1)',
  OPENAI_FAST_MODEL: 'its model for clients that want it fast (OPENAI_MODEL)',
  OPENAI_LANGUAGES: 'what its model can write, such as sv,en (all languages of Whisper)',
  OPENAI_PROMPT: 'words and names it should expect (none)',
  OPENAI_TIMEOUT_S: 'seconds for one transcription with its retries, 1 to 600 (100)',
  WHISPERCPP_URL: "whisper.cpp's server, such as http://127.0.0.1:8080 (none)",
  WHISPERCPP_MODEL: 'name of its model, for people (whisper)',
  WHISPERCPP_LANGUAGES: 'what its model can write (all languages of Whisper)',
  WHISPERCPP_PROMPT: 'words and names it should expect (none)',
  WHISPERCPP_TIMEOUT_S: 'seconds for one transcription with its retries, 1 to 600 (100)',
  HTTPS_PROXY:
    'proxy, over http://, for speech servers and models at https:// addresses; HTTP_PROXY for the others (none)',
  HTTP_PROXY: 'see HTTPS_PROXY (none)',
  NO_PROXY: 'names asked without a proxy; this machine always is (none)',
  TRANSFORMERS_MODEL: 'model of the engine transformers (KBLab/kb-whisper-small)',
  TRANSFORMERS_MODELS: 'folder with models, used without the network (none: downloaded once)',
  TRANSFORMERS_CACHE: 'folder for downloaded models (.cache/models)',
  TRANSFORMERS_LANGUAGES: 'what its model can write (sv)',
} as const;

/** The name of a variable. */
export type VariableName = keyof typeof VARIABLES;

/** The text that `--help` prints. */
export function helpText(): string {
  const width = Math.max(...Object.keys(VARIABLES).map((name) => name.length)) + 2;
  const lines = Object.entries(VARIABLES).map(([name, says]) => `  ${name.padEnd(width)}${says}`);
  return [
    'diktera-server: turns recorded speech into text (POST /api/asr/vad) and serves the pages.',
    '',
    '  diktera-server                  runs the server',
    '  diktera-server --language sv    the same, with Swedish: its model is fetched once (660 MB)',
    '  diktera-server transcribe FILES writes files down, as text or subtitles',
    '  diktera-server models           lists, fetches, imports, verifies, tries and removes models',
    '',
    'Swedish is written by Klang Pianissimo, by Klang AI AB (CC BY 4.0), converted here: metadata',
    'added to its encoder, decoder and joint cut into two files.',
    '',
    'Everything else is set by environment variables (with their defaults in parentheses):',
    '',
    ...lines,
    '',
  ].join('\n');
}
