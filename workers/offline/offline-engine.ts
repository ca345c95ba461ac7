import type { SpeechModel } from '../../src/core/speech-engine.ts';
import type { HttpClient } from '../http/http-client.ts';
import { createKernelEngine } from '../kernel/kernel-engine.ts';
import { fetchKernel, KERNEL_TOLERANCE } from '../kernel/kernel-factory.ts';
import { selfTest } from '../vad/self-test.ts';
import { type EncoderHelper, startEncoderHelper } from './encoder-helper.ts';
import { judgeOffline } from './offline-judge.ts';

/** Silero on the kernel for audio that is there as a whole. */
export type OfflineEngine = {
  /** Each frame's probability, from a clean state (see `judgeOffline`). One call at a time. */
  judgeAll(samples: Float32Array): Promise<Float32Array>;
  /** Ends the threads. */
  dispose(): void;
};

/**
 * Starts the kernel, self-tested, on `threads` threads, this one among them: 1 to 4. Two were 1.5 times as fast as
 * one on two idle cores, and no faster where other engines lay in memory beside them (`npm run bench`). Throws a DikteraError: `asset-*`, `engine-failed` or `worker-crashed`.
 */
export async function createOfflineEngine(setup: {
  readonly model: SpeechModel;
  readonly threads: number;
  readonly http: HttpClient;
}): Promise<OfflineEngine> {
  const { model, http } = setup;
  const { module, weights } = await fetchKernel({ model, http });
  const encoder = createKernelEngine({ model, module, weights });
  await selfTest(encoder, KERNEL_TOLERANCE);
  const decider = createKernelEngine({ model, module, weights });
  const helpers = await startHelpers(Math.min(4, setup.threads) - 1, () =>
    startEncoderHelper(model, module),
  );
  const turns = createTurns();
  return {
    judgeAll: (samples) =>
      judgeOffline(samples, { encoder, decider, helpers, nextTurn: turns.next }),
    dispose() {
      for (const helper of helpers) helper.dispose();
      turns.dispose();
    },
  };
}

/** All of them, or none. */
async function startHelpers(
  count: number,
  start: () => Promise<EncoderHelper>,
): Promise<readonly EncoderHelper[]> {
  const started = await Promise.allSettled(Array.from({ length: count }, start));
  const helpers = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failure = started.find((one) => one.status === 'rejected');
  if (!failure) return helpers;
  for (const helper of helpers) helper.dispose();
  throw failure.reason;
}

/** Turns of the event loop: a timer would wait four milliseconds. */
function createTurns() {
  const { port1, port2 } = new MessageChannel();
  let goOn = (): void => {};
  port1.onmessage = () => goOn();
  return {
    next: () =>
      new Promise<void>((resolve) => {
        goOn = resolve;
        port2.postMessage(null);
      }),
    dispose: () => port1.close(),
  };
}
