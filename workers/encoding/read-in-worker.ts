import { startWorker } from '../../src/assets/start-worker.ts';
import { DikteraError } from '../../src/core/errors.ts';

/** What the reading worker answers. */
export type ReadAnswer =
  | { readonly kind: 'samples'; readonly samples: Float32Array }
  | { readonly kind: 'failed'; readonly message: string };

/**
 * The samples of a WebM or MP4 file, read by a worker of its own, whose script is at `address`:
 * reading takes half a second for 90 s of sound, during which frames must be inferred, and its code
 * (44 kB, compressed) is not loaded for writing. Rejects with `encoding-failed`; ends the worker
 * when the signal is aborted.
 */
export function readInWorker(
  address: string,
  bytes: ArrayBuffer,
  signal: AbortSignal,
): Promise<Float32Array> {
  return new Promise<Float32Array>((resolve, reject) => {
    const worker = startWorker(address, 'diktera-reader');
    const fail = (message: string) => reject(new DikteraError('encoding-failed', message));
    const end = () => worker.terminate();
    signal.addEventListener('abort', end);
    worker.onmessage = ({ data }: MessageEvent<ReadAnswer>) => {
      signal.removeEventListener('abort', end);
      end();
      if (data.kind === 'samples') resolve(data.samples);
      else fail(data.message);
    };
    worker.onerror = ({ message }) => {
      end();
      fail(message || 'The reading worker could not be started');
    };
    worker.postMessage(bytes);
  });
}
