import { availableParallelism } from 'node:os';
import { createApp } from './app.ts';
import { createWorkerDecoder } from './audio/worker-decoder.ts';
import { ConfigError, readConfig, type ServerConfig } from './config.ts';
import { loadMoonshine } from './engine/load-moonshine.ts';
import { createMoonshineEngine } from './engine/moonshine-engine.ts';
import { systemClock } from './system-clock.ts';

/** Running transcriptions may end within this; then the process goes. */
const SHUTDOWN_MS = 10_000;

async function serve(config: ServerConfig): Promise<void> {
  const engine = createMoonshineEngine({
    load: loadMoonshine,
    clock: systemClock,
    onFailure: (error) => app.log.error({ err: error }, 'the speech engine could not be loaded'),
  });
  const decoder = createWorkerDecoder({ clock: systemClock });
  const app = await createApp({
    engine,
    decoder,
    pages: { kind: 'folder', webRoot: config.webRoot },
    limits: { concurrency: config.concurrency },
    // Standard output is for the one line below; the log goes where logs go.
    logger: { level: config.logLevel, stream: process.stderr },
  });

  const address = await app.listen({
    port: config.port,
    host: config.host,
    listenTextResolver: (at) => `listening at ${at}`,
  });
  decoder.warmUp();
  process.stdout.write(`Diktera is at ${address}\n`);

  const shutDown = () => {
    setTimeout(() => process.exit(1), SHUTDOWN_MS).unref();
    app.close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // A second signal finds no handler and ends the process at once.
    process.once(signal, shutDown);
  }
}

/** What went wrong, in a line a person can act on. */
function explain(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'EADDRINUSE') return 'The port is taken; choose another with PORT.';
  if (code === 'EACCES') return 'This port needs more rights; choose one above 1023 with PORT.';
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return 'HOST is no address of this machine.';
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

try {
  await serve(readConfig(process.env, availableParallelism()));
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = 1;
}
