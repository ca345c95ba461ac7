import { basename } from 'node:path';
import { Worker } from 'node:worker_threads';

/** A program of this server that runs as a thread: its path below `server/`. */
export type ThreadProgram = 'text/text-worker' | 'models/convert/convert-worker';

/** What a thread is started with. */
export type ThreadOptions = {
  readonly program: ThreadProgram;
  /** Its `workerData`. */
  readonly data: unknown;
  /** The size of V8's heap, in MiB. */
  readonly heapMib: number;
};

/** Starts a thread. What it or a library in it prints goes nowhere: it may be about a text. */
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
