import type { Clock } from '../../src/core/clock.ts';
import { startChild } from '../children/start-child.ts';
import { ApiError } from '../core/api-error.ts';
import { corruptedAudio } from './decodable-audio.ts';
import type { DecodeReply, DecodeRequest } from './decode-protocol.ts';

/** JavaScript's own part; audio, files and WebAssembly lie outside of it. */
const HEAP_MIB = 128;

/** The process is gone, and no file did it. */
export class DecodeProcessEnded extends Error {
  override readonly name: string = 'DecodeProcessEnded';
}

const tryAgain = (cause: Error) =>
  new ApiError(503, 'queue_full', 'The file could not be decoded now; try again shortly.', {
    cause,
    retryAfterS: 5,
  });

/** The last of what a process said to a request, and the samples it sent before. */
export type DecodeAnswer = {
  readonly reply: Exclude<DecodeReply, { readonly kind: 'begun' | 'part' }>;
  readonly samples: Float32Array;
};

/** It takes a tenth of a second; a machine that takes this long has other troubles. */
const START_LIMIT_MS = 30_000;

/** A process that decodes one file at a time. Whatever goes wrong, end it and start another. */
export type DecodeProcess = ReturnType<typeof startDecodeProcess>;

/** Starts one with all its memory limited to `memoryBytes`. */
export function startDecodeProcess(memoryBytes: number, clock: Clock) {
  const child = startChild({
    program: 'audio/decode-child',
    args: [String(memoryBytes)],
    heapMib: HEAP_MIB,
    dataBytes: memoryBytes,
    // One decodes, one watches.
    threads: 2,
  });
  let failure: Error | null = null;
  let hasStarted = false;
  /** Whether it has a file and nothing has been heard of the end of it. */
  let isAtWork = false;
  let listen: (reply: DecodeReply) => void = () => undefined;
  let abandon: (error: Error) => void = () => undefined;

  const started = new Promise<void>((resolve, reject) => {
    listen = () => {
      cancelStart();
      hasStarted = true;
      resolve();
    };
    abandon = reject;
  });
  const cancelStart = clock.after(START_LIMIT_MS, () => fail(new DecodeProcessEnded('no start')));
  const settled = started.catch(() => undefined);
  child.on('message', (reply) => listen(reply as DecodeReply));
  child.on('error', (error) =>
    fail(new DecodeProcessEnded('it cannot be started', { cause: error })),
  );
  child.on('exit', (code, signal) => {
    const ended = new DecodeProcessEnded(`the decoding process ended: ${signal ?? code}`);
    if (!isAtWork) fail(ended);
    // Nothing of ours sends this one: the machine is short of memory, or somebody ended it.
    else if (signal === 'SIGKILL') fail(tryAgain(ended));
    else fail(corruptedAudio(ended));
  });

  function fail(error: Error): void {
    failure ??= error;
    cancelStart();
    abandon(failure);
  }

  function answerTo(request: DecodeRequest): Promise<DecodeAnswer> {
    const parts: Float32Array[] = [];
    return new Promise((resolve, reject) => {
      abandon = reject;
      listen = (reply) => {
        isAtWork = reply.kind === 'begun' || reply.kind === 'part';
        if (reply.kind === 'part') parts.push(reply.samples);
        else if (reply.kind !== 'begun') resolve({ reply, samples: joined(parts) });
      };
      if (failure !== null) reject(failure);
      else child.send(request, () => undefined);
    });
  }

  return {
    /** Of the system; undefined when it could not be started. */
    id: child.pid,
    /** Fulfilled when it can take its first file or has ended. */
    started: settled,
    /** Whether it can take a file at once. */
    isReady: (): boolean => hasStarted,
    /** False once it has failed or ended. */
    isAlive: (): boolean => failure === null,
    /**
     * What it answers to one file. After `timeLimitMs`, counted from when the process is up, and when
     * the process ends over the file, that is `audio_corrupted`. Rejects with a DecodeProcessEnded
     * when the process was gone before it had the file, which is then not to blame.
     */
    async ask(request: DecodeRequest, timeLimitMs: number): Promise<DecodeAnswer> {
      await started;
      const answer = answerTo(request);
      const cancelTimer = clock.after(timeLimitMs, () => {
        fail(corruptedAudio(new Error('the decoding process did not answer')));
      });
      try {
        return await answer;
      } finally {
        cancelTimer();
      }
    },
    /** Ends it in the middle of whatever it does. */
    end() {
      fail(new DecodeProcessEnded('the decoding process was ended'));
      child.kill('SIGKILL');
    },
  };
}

function joined(parts: readonly Float32Array[]): Float32Array {
  const [first] = parts;
  if (first !== undefined && parts.length === 1) return first;
  const whole = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
