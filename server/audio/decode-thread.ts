import { Worker } from 'node:worker_threads';
import type { Clock } from '../../src/core/clock.ts';
import { corruptedAudio } from './decodable-audio.ts';
import type { DecodeReply, DecodeRequest } from './decode-protocol.ts';

/** A file that needs more than this on the thread's heap (audio lies outside of it) is damaged. */
const MAX_HEAP_MB = 256;

/**
 * A thread that decodes one file at a time. Whatever goes wrong with it, ask no further: terminate it
 * and start another.
 */
export class DecodeThread {
  readonly #worker = startWorker();
  /** Rejects what is waited for now; null when nothing is. */
  #abandon: ((error: Error) => void) | null = null;
  #failure: Error | null = null;
  readonly #ready: Promise<DecodeReply>;

  constructor() {
    this.#worker.on('error', (error: unknown) => this.#fail(threadFailure(error)));
    this.#worker.on('exit', () => this.#fail(threadFailure(null)));
    this.#ready = this.#nextReply();
    // Whoever asks first hears of it.
    this.#ready.catch(() => undefined);
    // The thread alone keeps no process alive.
    this.#worker.unref();
  }

  /**
   * The answer to one request; it may take `timeLimitMs` from the moment the thread has started, and is
   * `audio_corrupted` after that. Rejects when the thread fails.
   */
  async ask(request: DecodeRequest, clock: Clock, timeLimitMs: number): Promise<DecodeReply> {
    await this.#ready;
    const reply = this.#nextReply();
    const cancelTimer = clock.after(timeLimitMs, () => this.#fail(corruptedAudio()));
    this.#worker.postMessage(request, [request.file.buffer as ArrayBuffer]);
    try {
      return await reply;
    } finally {
      cancelTimer();
    }
  }

  /** Ends the thread in the middle of whatever it does. */
  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  #nextReply(): Promise<DecodeReply> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== null) reject(this.#failure);
      this.#abandon = reject;
      this.#worker.once('message', resolve);
    });
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#abandon?.(error);
  }
}

/** Out of memory is the file's fault; the rest is ours. */
function threadFailure(error: unknown): Error {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') return corruptedAudio(error);
  return new Error('the decoding thread ended', { cause: error });
}

function startWorker(): Worker {
  const options = {
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  };
  const isSource = import.meta.url.endsWith('.ts');
  const worker = isSource
    ? new Worker(sourceBootstrap(), { ...options, eval: true })
    : new Worker(new URL('decode-worker.js', import.meta.url), options);
  // libopus prints a line for each damaged packet; unread they would pile up.
  worker.stdout.resume();
  worker.stderr.resume();
  return worker;
}

/** Run from source, in development and tests, a thread needs a TypeScript loader of its own. */
function sourceBootstrap(): string {
  const entry = JSON.stringify(new URL('decode-worker.ts', import.meta.url).href);
  return `import('tsx/esm/api').then(({ register }) => { register(); return import(${entry}); })`;
}
