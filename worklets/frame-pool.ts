import { FRAME_SAMPLES } from '../src/core/audio/audio-format.ts';

const FRAME_BYTES = FRAME_SAMPLES * Int16Array.BYTES_PER_ELEMENT;

/** Memory for frames, used again and again, so that the audio thread makes no garbage. */
export type FramePool = {
  /** Memory for one frame. Allocated only when all the pool's memory is with the worker. */
  take(): Int16Array<ArrayBuffer>;
  /** Takes memory back. What is not a frame's, or too much, is left to the garbage collector. */
  give(buffer: ArrayBuffer): void;
  /** Frames ready to be taken. */
  readonly freeFrames: number;
};

/** A pool that begins with `frames` frames and never holds more. 16 are 1.5 s, at 3 kB each. */
export function createFramePool(frames = 16): FramePool {
  const free = Array.from({ length: frames }, () => new Int16Array(FRAME_SAMPLES));
  return {
    take: () => free.pop() ?? new Int16Array(FRAME_SAMPLES),
    give(buffer) {
      if (buffer.byteLength === FRAME_BYTES && free.length < frames) {
        free.push(new Int16Array(buffer));
      }
    },
    get freeFrames() {
      return free.length;
    },
  };
}
