import { assertNever } from '../../src/core/assert-never.ts';
import { msToSamples } from '../../src/core/audio/audio-format.ts';
import type { Clock } from '../../src/core/clock.ts';
import { startChild } from '../children/children.ts';
import { ApiError } from '../core/api-error.ts';
import { createWorkQueue, type Turn } from '../scheduling/work-queue.ts';
import {
  cpuBudgetMs,
  type DecodeReply,
  type DecodeRequest,
  wallBudgetMs,
} from './decode-protocol.ts';
import { corruptedAudio, decodableAudioTypes, type SpeechAudio } from './decoded-audio.ts';

/** Turns a file of any kind into 16 kHz mono, without holding up anybody else. */
export type AudioDecoder = {
  /**
   * Decodes one file of at most `maxAudioMs`, at the cost of `turn`'s client. Rejects with an
   * ApiError (`audio_unsupported`, `audio_corrupted`, `audio_too_long`) or with `signal`'s reason.
   */
  decode(
    file: Uint8Array,
    maxAudioMs: number,
    signal: AbortSignal,
    turn: Pick<Turn, 'client' | 'rank' | 'charge'>,
  ): Promise<SpeechAudio>;
  /** The kinds of audio it can decode, as types with codecs. */
  readonly audioTypes: readonly string[];
  /** Gives back what it holds; what is being decoded is lost. */
  dispose(): Promise<void>;
};

/** JavaScript's own part; audio, files and WebAssembly lie outside of it. */
const HEAP_MIB = 128;

/** The process is gone, and no file did it. */
class DecodeProcessEnded extends Error {
  override readonly name: string = 'DecodeProcessEnded';
}

const tryAgain = (cause: Error) =>
  new ApiError(503, 'queue_full', 'The file could not be decoded now; try again shortly.', {
    cause,
    retryAfterS: 5,
  });

/** The last of what a process said to a request, and the samples it sent before. */
type DecodeAnswer = {
  readonly reply: Exclude<DecodeReply, { readonly kind: 'begun' | 'part' }>;
  readonly samples: Float32Array;
};

/** It takes a tenth of a second; a machine that takes this long has other troubles. */
const START_LIMIT_MS = 30_000;

/** A process that decodes one file at a time. Whatever goes wrong, end it and start another. */
type DecodeProcess = ReturnType<typeof startDecodeProcess>;

/** Starts one with all its memory limited to `memoryBytes`. */
function startDecodeProcess(memoryBytes: number, ffmpegPath: string | null, clock: Clock) {
  const child = startChild({
    program: 'audio/decode-child',
    args: [String(memoryBytes), ffmpegPath ?? ''],
    heapMib: HEAP_MIB,
    dataBytes: memoryBytes,
    // One decodes, one watches.
    threads: 2,
  });
  let failure: Error | null = null;
  let hasStarted = false;
  /** True if it has a file and nothing has been heard of the end of it. */
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
    /** The system's process number; undefined when it could not be started. */
    id: child.pid,
    /** Fulfilled when it can take its first file or has ended. */
    started: settled,
    isReady: (): boolean => hasStarted,
    /** False once it has failed or ended. */
    isAlive: (): boolean => failure === null,
    /**
     * Its answer to one file. After `timeLimitMs`, counted from when the process is up, and when
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

/** The parts that the pool works with. */
export type DecoderPoolPorts = {
  readonly clock: Clock;
  /** Files decoded at once; others wait. One more when a client with many would hold up another. */
  readonly size: number;
  /** The largest file and the longest audio there will be; memory goes by them. */
  readonly maxUploadBytes: number;
  readonly maxAudioMs: number;
  /** The path of ffmpeg, for formats that nothing here decodes. @default null: there is none */
  readonly ffmpegPath?: string | null;
  /** Files after which a process is replaced by a fresh one. @default 500 */
  readonly maxUses?: number;
  /** When a file is given up, whatever its own budget. @default the budget of its length */
  readonly timeLimitMs?: number;
};

/** A decoder with processes of its own. */
export type DecoderPool = AudioDecoder & {
  /** Starts a process before the first file comes. */
  warmUp(): void;
  /** The processes there are now. */
  readonly processIds: readonly number[];
};

/**
 * Leaked memory is given back now and then. A new one costs as much as decoding a minute of speech.
 */
const MAX_USES = 500;

const MIB = 1024 * 1024;

/** Node, V8's heap and the decoders. */
const BASE_BYTES = 224 * MIB;

/** Charged to the account of who makes a process end, in ms of one core. */
const START_COST_MS = 150;

type Use = { readonly process: DecodeProcess; uses: number };

/**
 * Decodes in processes, each with one file at a time and kept for the next. A damaged or hostile
 * file can make a demuxer go in circles or take all memory, and a thread that does takes the server
 * along. A process that ends over a file is replaced at once, and only that file's sender hears of
 * it.
 */
export function createDecoderPool(ports: DecoderPoolPorts): DecoderPool {
  const { clock, size, maxUploadBytes, maxAudioMs, maxUses = MAX_USES } = ports;
  const { ffmpegPath = null } = ports;
  const memoryBytes = decoderMemoryBytes(maxUploadBytes, maxAudioMs);
  const queue = createWorkQueue({
    clock,
    concurrency: size,
    maxWaiting: Number.POSITIVE_INFINITY,
    keepsOneFree: true,
  });
  const all = new Set<Use>();
  const idle: Use[] = [];
  let isDisposed = false;

  function start(): Use {
    if (isDisposed) throw new DecodeProcessEnded('the decoding processes were ended');
    const use = { process: startDecodeProcess(memoryBytes, ffmpegPath, clock), uses: 0 };
    all.add(use);
    return use;
  }

  function end(use: Use): void {
    all.delete(use);
    use.process.end();
  }

  /** One that is ready, else the one started first. When it was the last, another is started. */
  function takeIdle(): Use {
    for (const use of idle.filter(({ process }) => !process.isAlive())) {
      idle.splice(idle.indexOf(use), 1);
      end(use);
    }
    if (idle.length === 0) idle.push(start());
    const ready = idle.findIndex(({ process }) => process.isReady());
    const [use = start()] = idle.splice(Math.max(0, ready), 1);
    if (idle.length === 0 && all.size <= size) idle.push(start());
    return use;
  }

  /** Back to the others, or replaced when it is dead or worn out. */
  async function putBack(use: Use): Promise<void> {
    const isDead = !use.process.isAlive();
    if (!isDead && use.uses < maxUses) {
      idle.push(use);
      return;
    }
    end(use);
    if (isDisposed) return;
    const fresh = start();
    idle.push(fresh);
    // The client that had it end waits for the next one: the others find as many as there should be.
    if (isDead) await fresh.process.started;
  }

  async function decodeNow(file: Uint8Array, audioMs: number, charge: (ms: number) => void) {
    try {
      return await decodeIn(takeIdle(), file, audioMs, charge);
    } catch (error) {
      if (!(error instanceof DecodeProcessEnded) || isDisposed) throw error;
      return decodeIn(takeIdle(), file, audioMs, charge);
    }
  }

  async function decodeIn(
    use: Use,
    file: Uint8Array,
    audioMs: number,
    charge: (ms: number) => void,
  ): Promise<SpeechAudio> {
    use.uses++;
    const startedMs = clock.nowMs();
    const samples = msToSamples(audioMs);
    const limitMs = ports.timeLimitMs ?? wallBudgetMs(file.length, samples);
    try {
      const answer = await use.process.ask({ file, maxAudioMs: audioMs }, limitMs);
      if (answer.reply.kind !== 'ready') {
        charge(answer.reply.cost.cpuMs);
        if (answer.reply.cost.isSlowed) use.uses = maxUses;
      }
      return unpack(answer);
    } catch (error) {
      // Nobody says what a process used that is gone: no more than it lived, nor than it might.
      const tookMs = Math.min(clock.nowMs() - startedMs, cpuBudgetMs(file.length, samples));
      if (!use.process.isAlive()) charge(START_COST_MS + tookMs);
      throw error;
    } finally {
      await putBack(use);
    }
  }

  return {
    audioTypes: decodableAudioTypes(ffmpegPath !== null),
    warmUp() {
      if (all.size === 0) idle.push(start());
    },
    get processIds() {
      return [...all].flatMap(({ process }) => process.id ?? []);
    },
    decode(file, audioMs, signal, turn) {
      // The client that leaves is told at once. The process finishes: a new one costs more than
      // most files.
      return withSignal(signal, () =>
        queue.run(
          turn.client,
          (own) => decodeNow(file, audioMs, chargeBoth(own, turn)),
          signal,
          turn.rank,
        ),
      );
    },
    async dispose() {
      isDisposed = true;
      queue.close();
      for (const use of all) end(use);
    },
  };
}

/**
 * The memory a process needs for the largest file: twice on its way in, and its audio four times on
 * its way out.
 */
export function decoderMemoryBytes(maxUploadBytes: number, maxAudioMs: number): number {
  const audioBytes = msToSamples(maxAudioMs) * Float32Array.BYTES_PER_ELEMENT;
  return BASE_BYTES + 3 * maxUploadBytes + 4 * audioBytes;
}

const chargeBoth = (own: Turn, outer: Pick<Turn, 'charge'>) => (costMs: number) => {
  own.charge(costMs);
  outer.charge(costMs);
};

/** The result of `work`; if `signal` aborts before, its reason, and the outcome is dropped. */
function withSignal<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', leave));
  });
}

function unpack({ reply, samples }: DecodeAnswer): SpeechAudio {
  switch (reply.kind) {
    case 'decoded':
      return { samples, complete: reply.complete };
    case 'refused':
      throw new ApiError(reply.status, reply.code, reply.message);
    case 'failed':
      throw new Error(`decoding failed: ${reply.message}`);
    case 'ready':
      throw new Error('the decoding process started twice');
    default:
      return assertNever(reply);
  }
}
