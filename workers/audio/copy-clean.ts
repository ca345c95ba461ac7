import { DikteraError } from '../../src/core/errors.ts';

/** Audio lies in -1..1; sixty decibels above that is no audio, and could overflow in the model. */
const LARGEST_SAMPLE = 1_000;

/**
 * Copies a frame for a model's input. NaN, infinite and absurd samples become silence, since a
 * recurrent model that has once computed with NaN never gives anything else. A short frame is
 * filled up with silence; one that is too long throws `engine-failed`.
 */
export function copyClean(frame: Float32Array, into: Float32Array): void {
  if (frame.length > into.length) {
    const message = `A frame holds at most ${into.length} samples, not ${frame.length}`;
    throw new DikteraError('engine-failed', message);
  }
  for (let i = 0; i < frame.length; i++) {
    const sample = frame[i] ?? 0;
    into[i] = Math.abs(sample) <= LARGEST_SAMPLE ? sample : 0;
  }
  into.fill(0, frame.length);
}
