import { assertNever } from '../../src/core/assert-never.ts';
import type { Clock } from '../../src/core/clock.ts';
import { ApiError } from '../api-error.ts';
import { createWorkQueue } from '../work-queue.ts';
import type { AudioDecoder } from './audio-decoder.ts';
import type { DecodeReply } from './decode-protocol.ts';
import { DecodeThread } from './decode-thread.ts';
import type { SpeechAudio } from './speech-audio.ts';

/** Ten minutes of audio take about a second; a file that takes this long sends the demuxer in circles. */
const TIME_LIMIT_MS = 20_000;

/** Each takes about 50 MB; a server in front of other engines may have 64 transcriptions under way. */
const MAX_THREADS = 4;

/** What the decoder works with. */
export type WorkerDecoderPorts = {
  readonly clock: Clock;
  /** After how long a file is given up as damaged. @default 20000 */
  readonly timeLimitMs?: number;
  /** Files decoded at once; others wait. @default 4 */
  readonly maxThreads?: number;
};

/** A decoder with threads of its own. */
export type WorkerDecoder = AudioDecoder & {
  /** Starts a thread before the first file comes. */
  warmUp(): void;
};

/**
 * Decodes in threads, each with one file at a time and kept for the next. A thread, because a demuxer
 * that meets a damaged file may never come back (a changed byte in a WebM cut short is enough), and a
 * thread can be ended.
 */
export function createWorkerDecoder(ports: WorkerDecoderPorts): WorkerDecoder {
  const { clock, timeLimitMs = TIME_LIMIT_MS, maxThreads = MAX_THREADS } = ports;
  const queue = createWorkQueue(maxThreads, Number.POSITIVE_INFINITY);
  const threads = new Set<DecodeThread>();
  const idle: DecodeThread[] = [];

  function start(): DecodeThread {
    const thread = new DecodeThread();
    threads.add(thread);
    return thread;
  }

  async function end(thread: DecodeThread): Promise<void> {
    threads.delete(thread);
    await thread.terminate();
  }

  async function decodeNow(file: Uint8Array, maxAudioMs: number, signal: AbortSignal) {
    signal.throwIfAborted();
    const thread = idle.pop() ?? start();
    const stop = () => void end(thread);
    signal.addEventListener('abort', stop, { once: true });
    try {
      // A copy in a buffer of its own can be handed over; small files share Node's pool.
      const request = { file: new Uint8Array(file), maxAudioMs };
      const reply = await thread.ask(request, clock, timeLimitMs);
      idle.push(thread);
      return unpack(reply);
    } catch (error) {
      if (!idle.includes(thread)) void end(thread);
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  return {
    warmUp() {
      if (threads.size === 0) idle.push(start());
    },
    async decode(file, maxAudioMs, signal) {
      try {
        return await queue.run(() => decodeNow(file, maxAudioMs, signal), signal);
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      }
    },
    async dispose() {
      queue.close();
      await Promise.all([...threads].map(end));
    },
  };
}

function unpack(reply: DecodeReply): SpeechAudio {
  switch (reply.kind) {
    case 'decoded':
      return reply.audio;
    case 'refused':
      throw new ApiError(reply.status, reply.code, reply.message);
    case 'failed':
      throw new Error(`decoding failed: ${reply.message}`);
    case 'ready':
      throw new Error('the decoding thread started twice');
    default:
      return assertNever(reply);
  }
}
