import type { Clock } from '../../src/core/clock.ts';
import { startThread } from '../children/start-thread.ts';
import type { TextReply, TextRequest, TextThreadData } from './text-protocol.ts';
import type { RuledText } from './text-rules.ts';

/** More than the dictionaries and rules need for the longest text. */
const MAX_HEAP_MIB = 256;

/** From source on a busy machine a start takes seconds. */
const START_LIMIT_MS = 30_000;

/** A thread that takes one text at a time; when anything goes wrong with it, it is ended. */
export type TextThread = ReturnType<typeof startTextThread>;

/** Starts one. Errors hold nothing of a text. */
export function startTextThread(data: TextThreadData, clock: Clock) {
  const worker = startThread({ program: 'text/text-worker', data, heapMib: MAX_HEAP_MIB });
  let isOver = false;
  let abandon: (error: Error) => void = () => undefined;

  function nextReply(): Promise<TextReply> {
    return new Promise((resolve, reject) => {
      abandon = reject;
      worker.once('message', resolve);
    });
  }

  function end(why: string): void {
    isOver = true;
    abandon(new Error(`the text thread ${why}`));
    void worker.terminate();
  }

  worker.on('error', () => end('broke'));
  worker.on('exit', () => end('ended'));
  const cancelStart = clock.after(START_LIMIT_MS, () => end('did not start'));
  const ready = nextReply()
    .then((reply) => (reply.kind === 'ready' ? reply.reason : null))
    .finally(cancelStart);
  // Whoever asks first hears of it.
  ready.catch(() => undefined);
  // The thread alone keeps no process alive.
  worker.unref();

  return {
    /** Why it has no dictionaries, or null; rejects when it cannot start. */
    ready,
    isOver: (): boolean => isOver,
    /** The text after the rules; rejects when one fails, the time is over or the thread ends. */
    async ask(request: TextRequest, timeLimitMs: number): Promise<RuledText> {
      await ready;
      if (isOver) throw new Error('the text thread ended');
      const reply = nextReply();
      const cancelTimer = clock.after(timeLimitMs, () => end('took too long'));
      worker.postMessage(request);
      try {
        const answer = await reply;
        if (answer.kind === 'done') return answer.ruled;
        throw new Error(`a text rule failed: ${answer.kind === 'failed' ? answer.errorName : ''}`);
      } finally {
        cancelTimer();
      }
    },
    async terminate(): Promise<void> {
      isOver = true;
      await worker.terminate();
    },
  };
}
