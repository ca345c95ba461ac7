import { DikteraError } from '../../src/core/errors.ts';
import type { SpeechModel } from '../../src/core/speech-engine.ts';
import type { Slice } from './encode-slice.ts';
import type { EncoderAnswer, EncoderOrder } from './encoder-messages.ts';
import type { Encoder } from './offline-judge.ts';

export type EncoderHelper = Encoder & { dispose(): void };

type Waiting = {
  readonly resolve: (features: Float32Array) => void;
  readonly reject: (error: DikteraError) => void;
};

const NO_FEATURES = new Float32Array(0);

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
  /** Orders that have not been answered yet, oldest first. */
  const waiting: Waiting[] = [];
  let death: DikteraError | null = null;

  worker.onmessage = ({ data }: MessageEvent<EncoderAnswer>) => {
    const first = waiting.shift();
    if (data.kind === 'failed') {
      first?.reject(new DikteraError(data.error.code, data.error.message));
    } else first?.resolve(data.kind === 'encoded' ? data.features : NO_FEATURES);
  };
  worker.onerror = ({ message }) => {
    death = new DikteraError('worker-crashed', message || 'An encoder could not be loaded');
    for (const { reject } of waiting.splice(0)) reject(death);
  };

  function order(given: EncoderOrder): Promise<Float32Array> {
    return new Promise((resolve, reject) => {
      if (death) return reject(death);
      waiting.push({ resolve, reject });
      worker.postMessage(given);
    });
  }

  try {
    await order({ kind: 'start', model, module });
  } catch (error) {
    worker.terminate();
    throw error;
  }
  return {
    encode: (slice) => order({ kind: 'encode', slice: sendable(slice) }),
    dispose: () => worker.terminate(),
  };
}

/** A view of memory that is not shared would be sent with all the memory behind it. */
function sendable({ before, samples }: Slice): Slice {
  if (!(samples.buffer instanceof ArrayBuffer)) return { before, samples };
  return { before: before?.slice() ?? null, samples: samples.slice() };
}
