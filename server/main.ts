#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assertNever } from '../src/core/assert-never.ts';
import { createPairing, pairingFile } from './access/pairing.ts';
import { createRedisStore } from './answers/redis-store.ts';
import { createApps } from './app.ts';
import { createDecoderPool } from './audio/decoder-pool.ts';
import { envFor, readArguments } from './commands/arguments.ts';
import { runModelsCommand } from './commands/models-command.ts';
import {
  LONGEST_MS,
  readTranscribeOrder,
  runTranscribeCommand,
  TRANSCRIBE_USAGE,
} from './commands/transcribe-command.ts';
import { readConfig, type ServerConfig } from './config/config.ts';
import { ConfigError, type Environment } from './config/env-reader.ts';
import { helpText } from './config/variables.ts';
import { DEFAULT_LIMITS } from './core/limits.ts';
import { systemClock } from './core/system.ts';
import { startEngineProcess } from './engine/engine-process.ts';
import {
  createEngines,
  createMoonshineEngine,
  createTransformersEngine,
} from './engine/engine-set.ts';
import { createUpstreamFetch } from './engine/upstream-watch.ts';
import { modelSources, modelsFolder } from './models/download/open-download.ts';
import { totalBytes } from './models/layout/model-folder.ts';
import { createLocalEngine, createLocalEngines, progressText } from './models/local-engine.ts';
import { type LogStream, openLog, outliveReaders } from './operations/stop.ts';
import { startTelemetry } from './telemetry/telemetry.ts';
import { createSharedVocabulary } from './text/shared-vocabulary.ts';
import { createThreadedTextRules, textTimeLimitMs, wordsOf } from './text/threaded-text-rules.ts';
import { createTranscriptionService } from './transcription/transcription-service.ts';

async function serve(config: ServerConfig, env: Environment): Promise<void> {
  requireFolders(config);
  const log = openLogOf(config, () => shutDown());
  const stopTelemetry = await startTelemetry(config.telemetryUrl);
  const say: Say = {
    info: (facts, text) => app.log.info(facts, text),
    error: (facts, text) => app.log.error(facts, text),
  };
  const { engines, local } = enginesOf(config, env, say);
  const { textRules, decoder } = workersOf(config, say);
  const { redisUrl } = config;
  const vocabulary = createSharedVocabulary(config.vocabularyFile, {
    clock: systemClock,
    onRead(problem, entries) {
      if (problem === null) app.log.info({ entries }, 'VOCABULARY_FILE has been read');
      else app.log.error({ problem }, 'VOCABULARY_FILE cannot be used; what was read before stays');
    },
  });
  const { app, adminApp } = await createApps({
    engines,
    decoder,
    textRules,
    vocabulary,
    basePath: config.basePath,
    pages: {
      kind: 'folder',
      webRoot: config.webRoot ?? builtPages(),
      retiresWorker: config.retiresWorker,
    },
    limits: config.limits,
    access: config.access,
    freePieces: config.engines.freePieces,
    ...(config.pairingFile !== 'none' && {
      pairing: createPairing({
        file: config.pairingFile ?? pairingFile(env),
        clock: systemClock,
        onFailure: (error) =>
          app.log.warn({ err: error }, 'paired extensions cannot be remembered (PAIRING_FILE)'),
      }),
    }),
    models: { engines: local.engines, fetchers: config.modelFetch },
    ...(redisUrl === null
      ? {}
      : {
          answerStore: createRedisStore(redisUrl, () => app.log.warn('no connection to REDIS_URL')),
        }),
    // Standard output is for the one line below; the log goes where logs go.
    logger: { level: config.logLevel, stream: log },
  });

  const { metrics } = config;
  if (metrics !== null) {
    const text = (at: string) => `figures at ${at}/metrics`;
    await adminApp.listen({ ...metrics, listenTextResolver: text });
  }
  const address = await app.listen({
    port: config.port,
    host: config.host,
    listenTextResolver: (at) => `listening at ${at}`,
  });
  decoder.warmUp();
  void textRules.load();
  void vocabulary.version();
  process.stdout.write(`Diktera is at ${address}${config.basePath && `${config.basePath}/`}\n`);

  function shutDown(): void {
    setTimeout(() => process.exit(1), config.stopMs).unref();
    const closed = app.close().then(stopTelemetry);
    closed.then(
      () => process.exit(0),
      () => process.exit(1),
    );
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // A second signal finds no handler and ends the process at once.
    process.once(signal, shutDown);
  }
}

/** Where engines and workers say what happens to them. */
type Say = Record<'info' | 'error', (facts: object, text: string) => void>;

function enginesOf(config: ServerConfig, env: Environment, say: Say) {
  const noteEngineEnd = (error: Error) => say.error({ err: error }, 'the speech engine ended');
  const local = createLocalEngines(config.engines, (model, isWanted) =>
    createLocalEngine({
      model,
      isWanted,
      modelsRoot: modelsFolder(env),
      sources: modelSources(env).map((address) => ({ kind: 'hub', address })),
      env,
      // One recording at a time is the common case, and a large model profits from more cores.
      threads: Math.max(1, Math.min(4, config.limits.concurrency)),
      launch: (plan) => startEngineProcess(plan, { threads: config.limits.concurrency + 1 }),
      clock: systemClock,
      onProgress(progress) {
        const text = `${model.name}: ${progressText(progress, totalBytes(model))}`;
        say.info({ model: model.id, ...progress }, text);
      },
      onFailure: noteEngineEnd,
    }),
  );
  const engines = createEngines(config.engines, {
    fetch: createUpstreamFetch(
      (failure) => say.error(failure, 'a speech server cannot be reached'),
      config.engines.proxies,
    ),
    clock: systemClock,
    random: Math.random,
    embedded: () =>
      createMoonshineEngine({
        // One more than there are places: see the queue.
        launch: () =>
          startEngineProcess({ kind: 'moonshine' }, { threads: config.limits.concurrency + 1 }),
        hasSpare: config.hasEngineSpare,
        clock: systemClock,
        onFailure: noteEngineEnd,
      }),
    local: local.byLanguage,
    transformers: (settings) =>
      createTransformersEngine(settings, {
        launch() {
          const { model, localModelPath, cacheDir } = settings;
          const source = { model, localModelPath, cacheDir };
          const onProgress = (percent: number) =>
            say.info({ percent }, 'downloading the speech model');
          return startEngineProcess({ kind: 'whisper', source }, { onProgress });
        },
        clock: systemClock,
        onFailure: noteEngineEnd,
      }),
  });
  return { engines, local };
}

function workersOf(config: ServerConfig, say: Say, timeLimitMs = textTimeLimitMs) {
  const { openai, whisperCpp } = config.engines;
  const textRules = createThreadedTextRules({
    clock: systemClock,
    ownWords: wordsOf(`${openai?.prompt ?? ''} ${whisperCpp?.prompt ?? ''}`),
    onFailure: (error) => say.error({ err: error }, 'a text rule could not be applied'),
    timeLimitMs,
  });
  const decoder = createDecoderPool({
    clock: systemClock,
    size: config.decoders,
    maxUploadBytes: config.limits.maxUploadBytes,
    maxAudioMs: config.limits.maxAudioMs,
    ffmpegPath: config.ffmpegPath,
  });
  return { textRules, decoder };
}

/** Writes files down without a server. */
async function runTranscribe(words: readonly string[], env: Environment): Promise<number> {
  const order = readTranscribeOrder(words);
  if (typeof order === 'string') {
    process.stderr.write(`${order}\n\n${TRANSCRIBE_USAGE}`);
    return 2;
  }
  const print = (text: string) => void process.stderr.write(text);
  const say: Say = {
    info: () => undefined,
    error: (_, text) => print(`${text}\n`),
  };
  const wished = order.language === '' ? env : envFor([order.language], env);
  let found: ServerConfig;
  try {
    found = configOf(wished);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    // A setting that is wrong without the language, too, is no fault of the order's: it is thrown here.
    configOf(env);
    print(`--language ${order.language}: ${error.message}\n`);
    return 2;
  }
  const limits = { ...DEFAULT_LIMITS, ...found.limits, maxAudioMs: LONGEST_MS };
  const config = {
    ...found,
    limits: { ...limits, maxUploadBytes: LARGEST_BYTES, maxAudioMsPerClient: 0 },
    hasEngineSpare: false,
    decoders: 1,
  };
  // Nothing of the server's keeps a process alive.
  const alive = setInterval(() => undefined, 60_000);
  const { engines } = enginesOf(config, wished, say);
  const { textRules, decoder } = workersOf(config, say, () => RULES_MS);
  const clock = systemClock;
  const ports = { engines, decoder, textRules, clock, limits: config.limits };
  const service = createTranscriptionService(ports);
  try {
    if (order.fixSpelling) await textRules.load();
    const signal = endOfProgram();
    return await runTranscribeCommand(order, {
      ...{ print, signal, clock, engines, decoder, service, textRules },
    });
  } finally {
    service.close();
    await Promise.all([decoder.dispose(), engines.dispose()]);
    clearInterval(alive);
  }
}

/** All of a file goes through the rules at once, four hours in some seconds, and nobody else waits. */
const RULES_MS = 120_000;

/** A video of some hours. */
const LARGEST_BYTES = 2 * 1_024 ** 3;

function configOf(env: Environment): ServerConfig {
  const memoryBytes = Math.min(totalmem(), process.constrainedMemory() || totalmem());
  return readConfig(env, availableParallelism(), memoryBytes);
}

/** Throws a ConfigError for a folder that was named and is not there: nothing would ever come of it. */
function requireFolders({ webRoot, engines: { transformers } }: ServerConfig): void {
  if (webRoot !== null && !existsSync(join(webRoot, 'index.html'))) {
    throw new ConfigError(`WEB_ROOT is ${webRoot}, and there is no index.html in it`);
  }
  const models = transformers?.localModelPath ?? null;
  if (models !== null && !existsSync(models)) {
    throw new ConfigError(`TRANSFORMERS_MODELS is ${models}, and there is no such folder`);
  }
}

function openLogOf({ logFile }: ServerConfig, onHangUp: () => void): LogStream {
  try {
    return openLog(logFile, onHangUp);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`LOG_FILE cannot be written: ${why}`);
  }
}

/** Beside the built server when it was installed somewhere, else where the build puts them. */
function builtPages(): string {
  const besideServer = fileURLToPath(new URL('../web', import.meta.url));
  return existsSync(besideServer) ? besideServer : 'dist/web';
}

async function runModels(words: readonly string[]): Promise<number> {
  // Waits and engines keep no process alive, since what they belong to is a server that listens.
  const alive = setInterval(() => undefined, 60_000);
  try {
    return await runModelsCommand(words, {
      env: process.env,
      print: (text) => void process.stdout.write(text),
      signal: endOfProgram(),
    });
  } finally {
    clearInterval(alive);
  }
}

/** Aborts when the person ends the program; a second signal ends it at once. */
function endOfProgram(): AbortSignal {
  const end = new AbortController();
  process.once('SIGINT', () => end.abort(new Error('stopped')));
  return end.signal;
}

/** The fault in a line that a person can act on. */
function explain(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'EADDRINUSE') {
    const port = error instanceof Error && 'port' in error ? String(error.port) : '';
    const name = port === process.env.METRICS_PORT ? 'METRICS_PORT' : 'PORT';
    return `The port is taken; choose another with ${name}.`;
  }
  if (code === 'EACCES') return 'This port needs more rights; choose one above 1023 with PORT.';
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return 'HOST is no address of this machine.';
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

outliveReaders();
const order = readArguments(process.argv.slice(2), process.env);
try {
  switch (order.kind) {
    case 'help':
      process.stdout.write(helpText());
      break;
    case 'wrong':
      throw new ConfigError(order.message);
    case 'models':
      process.exitCode = await runModels(order.words);
      break;
    case 'transcribe':
      process.exitCode = await runTranscribe(order.words, process.env);
      break;
    case 'serve': {
      await serve(configOf(order.env), order.env);
      break;
    }
    default:
      assertNever(order);
  }
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = 1;
}
