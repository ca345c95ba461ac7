import { startThread } from '../../children/children.ts';
import type { FetchedModel, ModelFolder } from '../layout/model-folder.ts';

/** A model is built otherwise than we can cut; `message` is for people and holds no paths. */
export class ConversionImpossible extends Error {
  override readonly name: string = 'ConversionImpossible';
}

/** The data of the thread. */
export type ConversionTask = { readonly model: FetchedModel; readonly folder: ModelFolder };

/** Its one message. */
export type ConversionReply =
  | { readonly kind: 'done' }
  | {
      readonly kind: 'impossible' | 'failed';
      readonly message: string;
      /** The system's, such as ENOSPC; '' for none. */
      readonly code: string;
    };

/** The decoder's file is in memory three times at most: as read, as cut, as written. */
const HEAP_MIB = 512;

/**
 * Makes a model's files ready in a thread, where the listening goes on. Aborted it ends at once,
 * and begins anew the next time. Rejects with ConversionImpossible or with the system's error.
 */
export function convertInThread(task: ConversionTask, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const worker = startThread({
      program: 'models/convert/convert-worker',
      data: task,
      heapMib: HEAP_MIB,
    });
    const stop = () => {
      void worker.terminate();
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', stop, { once: true });
    worker.once('message', (reply: ConversionReply) => {
      if (reply.kind === 'done') resolve();
      else if (reply.kind === 'impossible') reject(new ConversionImpossible(reply.message));
      else reject(Object.assign(new Error(reply.message), { code: reply.code }));
    });
    worker.once('error', reject);
    worker.once('exit', () => {
      signal.removeEventListener('abort', stop);
      reject(new Error('the conversion ended'));
    });
  });
}
