import { startWorker } from '../../src/assets/start-worker.ts';
import { DikteraError } from '../../src/core/errors.ts';

/** What a worker answers that is asked; see `answer-asked.ts`. */
export type Answer<Value> =
  | { readonly kind: 'done'; readonly value: Value }
  | { readonly kind: 'failed'; readonly message: string };

/** Rejects with `encoding-failed`; ends the worker that is asked when the signal is aborted. */
export type AskWorker = <Value>(question: unknown, signal: AbortSignal) => Promise<Value>;

type Idle = { readonly worker: Worker; readonly end: ReturnType<typeof setTimeout> };

/**
 * Asks workers whose script is at `address`, each one thing at a time: what codecs take of the
 * processor would keep frames from being inferred, and their code is not loaded before it is needed.
 * One that has answered is kept for so long, for the next question.
 */
export function askWorkers(address: string, name: string, keptMs: number): AskWorker {
  let idle: Idle | undefined;

  function take(): Worker {
    if (!idle) return startWorker(address, name);
    const { worker, end } = idle;
    clearTimeout(end);
    idle = undefined;
    return worker;
  }

  function keep(worker: Worker): void {
    if (idle) worker.terminate();
    else idle = { worker, end: setTimeout(() => take().terminate(), keptMs) };
  }

  return <Value>(question: unknown, signal: AbortSignal) =>
    new Promise<Value>((resolve, reject) => {
      const worker = take();
      const fail = (message: string) => reject(new DikteraError('encoding-failed', message));
      const end = () => worker.terminate();
      signal.addEventListener('abort', end);
      worker.onmessage = ({ data }: MessageEvent<Answer<Value>>) => {
        signal.removeEventListener('abort', end);
        keep(worker);
        if (data.kind === 'done') resolve(data.value);
        else fail(data.message);
      };
      worker.onerror = ({ message }) => {
        signal.removeEventListener('abort', end);
        // It may fail after it has answered, too.
        if (idle?.worker === worker) take();
        end();
        fail(message || `The worker ${name} could not be started`);
      };
      worker.postMessage(question);
    });
}

/** Answers what this worker is asked (`ask-worker.ts`); hands over what `buffersOf` names. */
export function answerAsked<Question, Value>(
  answer: (question: Question) => Promise<Value>,
  buffersOf: (value: Value) => Transferable[],
): void {
  addEventListener('message', async ({ data }: MessageEvent<Question>) => {
    try {
      const value = await answer(data);
      const done: Answer<Value> = { kind: 'done', value };
      postMessage(done, { transfer: buffersOf(value) });
    } catch (thrown) {
      const message = thrown instanceof Error ? thrown.message : String(thrown);
      const failed: Answer<Value> = { kind: 'failed', message };
      postMessage(failed);
    }
  });
}
