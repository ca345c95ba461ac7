import { FRAME_SAMPLES } from '../../src/core/audio-format.ts';
import type { KernelEngine } from '../kernel/kernel-engine.ts';
import { encodeSlice, type Slice } from './encode-slice.ts';

/** Another thread that encodes slices, in the order in which it gets them. */
export type Encoder = { encode(slice: Slice): Promise<Float32Array> };

export type OfflineJudgePorts = {
  /** Encodes on this thread. */
  readonly encoder: KernelEngine;
  /** Decides on this thread; another instance, since encoding forgets the past. */
  readonly decider: KernelEngine;
  /** The other threads, none to three. */
  readonly helpers: readonly Encoder[];
  /** Lets what has arrived meanwhile be taken in. */
  readonly nextTurn: () => Promise<void>;
};

/** 1.5 s of audio: half a millisecond of work. */
const SLICE_FRAMES = 16;
/** How many slices a helper has at a time: it never waits for the next. */
const SLICES_AHEAD = 3;

/**
 * Judges audio that is there as a whole, on several threads: the windows know nothing of one another up to the
 * LSTM, so slices of the audio are encoded side by side, and this thread carries the LSTM through them in order.
 * While it waits for a slice it encodes one itself. Answers the probability of each frame, the same as one thread
 * gives; what lacks of the last frame is silence. Rejects with what a helper rejects with.
 */
export async function judgeOffline(
  samples: Float32Array,
  { encoder, decider, helpers, nextTurn }: OfflineJudgePorts,
): Promise<Float32Array> {
  const frames = Math.ceil(samples.length / FRAME_SAMPLES);
  const whole = wholeFrames(samples, frames);
  const slices = Math.ceil(frames / SLICE_FRAMES);
  const probabilities = new Float32Array(frames);
  const encoded = new Map<number, Float32Array>();
  let given = 0;
  let decided = 0;
  let failure: { readonly cause: unknown } | null = null;

  function help(helper: Encoder): void {
    if (given >= slices || failure) return;
    const slice = given++;
    helper.encode(sliceAt(whole, slice)).then(
      (features) => {
        encoded.set(slice, features);
        help(helper);
      },
      (cause: unknown) => {
        failure ??= { cause };
      },
    );
  }

  function decide(slice: number, features: Float32Array): void {
    for (let at = 0, frame = slice * SLICE_FRAMES; at < features.length; frame++) {
      probabilities[frame] = decider.decide(features.subarray(at, at + decider.featureCount));
      at += decider.featureCount;
    }
  }

  decider.reset();
  for (let i = 0; i < SLICES_AHEAD; i++) helpers.forEach(help);
  while (decided < slices) {
    const features = encoded.get(decided);
    if (features) {
      encoded.delete(decided);
      decide(decided++, features);
      continue;
    }
    if (given < slices) {
      const slice = given++;
      encoded.set(slice, encodeSlice(encoder, sliceAt(whole, slice)));
    }
    await nextTurn();
    if (failure) throw (failure as { readonly cause: unknown }).cause;
  }
  return probabilities;
}

/** A copy in whole frames; where threads may share memory, in memory that all of them see. */
function wholeFrames(samples: Float32Array, frames: number): Float32Array {
  const bytes = frames * FRAME_SAMPLES * Float32Array.BYTES_PER_ELEMENT;
  const isShared = globalThis.crossOriginIsolated === true;
  const whole = new Float32Array(isShared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes));
  whole.set(samples);
  return whole;
}

function sliceAt(samples: Float32Array, slice: number): Slice {
  const start = slice * SLICE_FRAMES * FRAME_SAMPLES;
  return {
    before: start === 0 ? null : samples.subarray(start - FRAME_SAMPLES, start),
    samples: samples.subarray(start, start + SLICE_FRAMES * FRAME_SAMPLES),
  };
}
