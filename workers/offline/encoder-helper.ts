import { wrap } from 'comlink';
import { DikteraError } from '../../src/core/errors.ts';
import type { SpeechModel } from '../../src/core/speech-engine.ts';
import type { Slice } from './encode-slice.ts';
import type { Encoder } from './offline-judge.ts';

/** The calls of `encoder.worker.ts`. */
export type EncoderWorkerApi = {
  start(model: SpeechModel, module: WebAssembly.Module): void;
  encode(slice: Slice): Float32Array;
};

export type EncoderHelper = Encoder & { dispose(): void };

/**
 * A thread of its own with the kernel on it. Rejects with `worker-crashed` or what the kernel says; so does each
 * call after the thread has died.
 */
export async function startEncoderHelper(
  model: SpeechModel,
  module: WebAssembly.Module,
): Promise<EncoderHelper> {
  const worker = new Worker(new URL('../encoder.worker.ts', import.meta.url), {
    type: 'module',
    name: 'diktera-encoder',
  });
  const crashed = new Promise<never>((_resolve, reject) => {
    worker.onerror = ({ message }) => {
      reject(new DikteraError('worker-crashed', message || 'An encoder could not be loaded'));
    };
  });
  crashed.catch(() => {}); // Nobody may be waiting just now.
  const api = wrap<EncoderWorkerApi>(worker);
  try {
    await Promise.race([api.start(model, module), crashed]);
  } catch (error) {
    worker.terminate();
    throw error;
  }
  return {
    encode: (slice) => Promise.race([api.encode(sendable(slice)), crashed]),
    dispose: () => worker.terminate(),
  };
}

/** A view of memory that is not shared would be sent with all the memory behind it. */
function sendable({ before, samples }: Slice): Slice {
  if (!(samples.buffer instanceof ArrayBuffer)) return { before, samples };
  return { before: before?.slice() ?? null, samples: samples.slice() };
}
