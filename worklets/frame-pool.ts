import { FRAME_SAMPLES } from '../src/core/audio/audio-format.ts';

const FRAME_BYTES = FRAME_SAMPLES * Int16Array.BYTES_PER_ELEMENT;

/** Memory for frames, used again and again, so that the audio thread makes no garbage. */
export type FramePool = ReturnType<typeof createFramePool>;

/** A pool that begins with `frames` frames and never holds more. 16 are 1.5 s, at 3 kB each. */
export function createFramePool(frames = 16) {
  const free = Array.from({ length: frames }, () => new Int16Array(FRAME_SAMPLES));
  return {
    /** Memory for one frame. Allocated only when all the pool's memory is with the worker. */
    take: (): Int16Array<ArrayBuffer> => free.pop() ?? new Int16Array(FRAME_SAMPLES),
    /** Takes memory back. What is not a frame's, or too much, is left to the garbage collector. */
    give(buffer: ArrayBuffer) {
      if (buffer.byteLength === FRAME_BYTES && free.length < frames) {
        free.push(new Int16Array(buffer));
      }
    },
    /** Frames ready to be taken. */
    get freeFrames(): number {
      return free.length;
    },
  };
}
