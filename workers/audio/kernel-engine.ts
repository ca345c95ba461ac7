import { FRAME_SAMPLES } from '../../src/core/audio/audio-format.ts';
import { DikteraError } from '../../src/core/errors.ts';
import type { BareEngine } from '../../src/core/speech/speech-engine.ts';
import { startKernel } from './kernel-instance.ts';
import { type PackedWeights, readPackedWeights } from './kernel-weights.ts';

/** A kernel as an engine, and what only tests and benchmarks look at. */
export type KernelEngine = Omit<BareEngine, 'infer'> & {
  /** Infers a frame at once: some 30 microseconds, nothing allocated. */
  infer(frame: Float32Array): number;
  /** The probabilities behind the last answer, of its three windows. */
  probabilities(): readonly number[];
};

/**
 * Silero on the hand-written kernel. `module` is a kernel's file as the build makes it, compiled:
 * code and weights. The engine answers at once and keeps nothing of a frame; samples that are not a
 * number, infinite or absurd (beyond +-1000) are silence, as is what a short frame lacks.
 *
 * Throws `asset-wrong` when the file is not the model's kernel or is damaged, `engine-failed` when
 * it can't be started.
 */
export function createKernelEngine(module: WebAssembly.Module): KernelEngine {
  return hear(start(module, readPackedWeights(module)), 0);
}

/** One of those who hear with the weights of one kernel. */
function hear(started: Running, hearing: number): KernelEngine {
  let running: Running | null = started;
  const alive = (): Running => {
    if (!running) throw new DikteraError('engine-failed', 'The kernel has been disposed of');
    return running;
  };

  return {
    kind: 'kernel',
    infer(frame) {
      const { kernel, input } = alive();
      if (frame.length > FRAME_SAMPLES) {
        const message = `A frame holds at most ${FRAME_SAMPLES} samples, not ${frame.length}`;
        throw new DikteraError('engine-failed', message);
      }
      input.set(frame);
      if (frame.length < FRAME_SAMPLES) input.fill(0, frame.length);
      return kernel.infer(hearing);
    },
    probabilities: () => [...alive().probabilities],
    twin() {
      const { HEARINGS } = alive().kernel;
      if (hearing + 1 < HEARINGS.value) return hear(alive(), hearing + 1);
      throw new DikteraError('engine-failed', `A kernel has ${HEARINGS.value} hearings, no more`);
    },
    reset() {
      running?.kernel.reset(hearing);
    },
    dispose() {
      running = null;
    },
  };
}

/** A kernel with views of its memory, which it never grows. */
type Running = ReturnType<typeof start>;

function start(module: WebAssembly.Module, weights: PackedWeights) {
  const kernel = startKernel(module, weights);
  const { memory, FRAME, PROBABILITIES, PROBABILITY_COUNT } = kernel;
  return {
    kernel,
    input: new Float32Array(memory.buffer, FRAME.value, FRAME_SAMPLES),
    probabilities: new Float32Array(memory.buffer, PROBABILITIES.value, PROBABILITY_COUNT.value),
  };
}
