import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';

/**
 * Ties a child to its parent: it ends when the parent is gone, and not before. Signals for the
 * whole group, from a terminal or a service manager, are the parent's, which may have work to
 * finish.
 */
export function endWithParent(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => undefined);
  }
  process.on('disconnect', () => process.exit());
}

/** Sends a message to the parent, if it is still there; fulfilled when it is on its way. */
export function tellParent(message: object): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) resolve();
    else process.send(message, undefined, undefined, () => resolve());
  });
}

/** A program has far less code in one piece, V8 reserves far more. */
const LEAST_BYTES = 100 * 1024 * 1024;

/**
 * The memory V8 reserves for code in each of its threads, as far as the system counts it as memory the
 * process can write to: 0 up to Node 22, half a gigabyte from Node 24 on, of which next to nothing
 * is ever used. `maps` is Linux's table of this process's memory.
 */
export function codeRangeBytes(maps: string = ownMaps()): number {
  const reserved = [...maps.matchAll(/^([\da-f]+)-([\da-f]+) rwxp /gm)].map(
    ([, from = '', to = '']) => Number.parseInt(to, 16) - Number.parseInt(from, 16),
  );
  const most = Math.max(0, ...reserved);
  return most < LEAST_BYTES ? 0 : most;
}

function ownMaps(): string {
  try {
    return readFileSync('/proc/self/maps', 'utf8');
  } catch {
    return '';
  }
}

/** A program of this server that runs as a process of its own: its path below `server/`. */
type ChildProgram = 'audio/decode-child' | 'engine/engine-child';

/** The options of a child. */
type ChildOptions = {
  readonly program: ChildProgram;
  /** The program's arguments. @default none */
  readonly args?: readonly string[];
  /** True if its standard error goes to ours. @default false */
  readonly isHeard?: boolean;
  /** The size of V8's heap, in MiB. @default V8's own */
  readonly heapMib?: number;
  /**
   * All memory it can write to, in bytes; the system gives no more. Linux only. Memory that V8
   * reserves but does not use is not counted. @default none
   */
  readonly dataBytes?: number;
  /** Threads that run JavaScript, each of which V8 reserves memory for. @default 1 */
  readonly threads?: number;
  /** Threads for work outside of the event loop. @default Node's own */
  readonly poolThreads?: number;
};

const SHELL = '/bin/sh';

/** The variables that a program may need; never a key or a token. */
const PASSED_ON = [
  'PATH',
  'HOME',
  'LD_LIBRARY_PATH',
  'TMPDIR',
  'TEMP',
  'SystemRoot',
  // Where models are fetched by way of an inspecting proxy.
  'NODE_EXTRA_CA_CERTS',
] as const;

/**
 * Starts a child that speaks by messages of any structured data. It does not keep this process from
 * ending.
 */
export function startChild(options: ChildOptions): ChildProcess {
  const node = [
    process.execPath,
    ...nodeOptions(options),
    ...entryOf(options.program),
    ...(options.args ?? []),
  ];
  const [command = '', ...args] = existsSync(SHELL)
    ? [SHELL, '-c', limitScript(options), 'sh', ...node]
    : node;
  const child = spawn(command, args, {
    stdio: ['ignore', 'ignore', options.isHeard ? 'inherit' : 'ignore', 'ipc'],
    serialization: 'advanced',
    env: environmentOf(options),
    windowsHide: true,
  });
  child.unref();
  child.channel?.unref();
  return child;
}

function nodeOptions({ heapMib }: ChildOptions): string[] {
  return heapMib === undefined ? [] : [`--max-old-space-size=${heapMib}`];
}

/** Run from source, in development and tests, a child needs a TypeScript loader. */
function entryOf(program: ChildProgram): string[] {
  const here = import.meta.url;
  if (!here.endsWith('.ts')) return [fileURLToPath(new URL(`${basename(program)}.js`, here))];
  const loader = pathToFileURL(createRequire(here).resolve('tsx')).href;
  return ['--import', loader, fileURLToPath(new URL(`../${program}.ts`, here))];
}

/** A shell sets the limits and becomes the child. One it may not set is left as it is. */
function limitScript({ dataBytes, threads = 1 }: ChildOptions): string {
  // A dump would hold audio.
  const lines = ['ulimit -c 0'];
  if (dataBytes !== undefined && process.platform === 'linux') {
    const reservedBytes = threads * codeRangeBytes();
    const limit = `ulimit -d ${Math.ceil((dataBytes + reservedBytes) / 1024)}`;
    lines.push(`(${limit}) 2>/dev/null && ${limit}`);
  }
  return [...lines, 'exec "$@"'].join('\n');
}

function environmentOf({ poolThreads }: ChildOptions): NodeJS.ProcessEnv {
  const passedOn = PASSED_ON.map((name) => [name, process.env[name]] as const);
  return {
    ...Object.fromEntries(passedOn.filter(([, value]) => value !== undefined)),
    ...(poolThreads === undefined ? {} : { UV_THREADPOOL_SIZE: String(poolThreads) }),
  };
}

/** A program of this server that runs as a thread: its path below `server/`. */
type ThreadProgram = 'text/text-worker' | 'models/convert/convert-worker';

/** The options of a thread. */
type ThreadOptions = {
  readonly program: ThreadProgram;
  /** Its `workerData`. */
  readonly data: unknown;
  /** The size of V8's heap, in MiB. */
  readonly heapMib: number;
};

/**
 * Starts a thread. Output of it and its libraries is dropped, since it may hold a person's text.
 */
export function startThread({ program, data, heapMib }: ThreadOptions): Worker {
  const options = {
    workerData: data,
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: heapMib },
  };
  const here = import.meta.url;
  const worker = here.endsWith('.ts')
    ? new Worker(sourceBootstrap(program, here), { ...options, eval: true })
    : new Worker(new URL(`${basename(program)}.js`, here), options);
  worker.stdout.resume();
  worker.stderr.resume();
  return worker;
}

/** Run from source, in development and tests, a thread needs a TypeScript loader of its own. */
function sourceBootstrap(program: ThreadProgram, here: string): string {
  const entry = JSON.stringify(new URL(`../${program}.ts`, here).href);
  return `import('tsx/esm/api').then(({ register }) => { register(); return import(${entry}); })`;
}
