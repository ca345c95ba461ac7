import { startWorker } from '../../src/assets/start-worker.ts';
import { DikteraError } from '../../src/core/errors.ts';

/** A worker's answer to a question. */
export type Answer<Value> =
  | { readonly kind: 'done'; readonly value: Value }
  | { readonly kind: 'failed'; readonly message: string };

type Idle = { readonly worker: Worker; readonly end: ReturnType<typeof setTimeout> };

/**
 * Asks workers whose script is at `address`, each one thing at a time: codecs would keep frames from
 * being inferred, and their code is not loaded before it is needed. A worker that has answered stays
 * for `keptMs`, for the next question. A question rejects with `encoding-failed`, and ends its worker
 * when the signal is aborted.
 */
export function askWorkers(address: string, name: string, keptMs: number) {
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

  return <Value>(question: unknown, signal: AbortSignal): Promise<Value> =>
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

/** Answers the questions to this worker, and hands the buffers that `buffersOf` names over. */
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
