import { FRAME_SAMPLES } from './audio-format.ts';

/** What a frame cutter needs from its surroundings. */
export type FrameCutterPorts = {
  /** Memory for the next frame: `FRAME_SAMPLES` samples, contents of no interest. */
  take(): Float32Array<ArrayBuffer>;
  /** A finished frame, given away for good; `startSample` counts samples since the beginning. */
  emit(frame: Float32Array<ArrayBuffer>, startSample: number): void;
};

/** Cuts a stream of samples into frames, each beginning where the one before ended. */
export type FrameCutter = {
  /** Takes the first `count` samples of `samples`; emits each frame that is full. */
  push(samples: Float32Array, count: number): void;
  /** Emits what is left as a shorter frame, if there is anything. */
  flush(): void;
  /** Samples pushed so far: the index of the next one. */
  readonly positionSamples: number;
};

/** Frames of exactly `FRAME_SAMPLES`, until a flush. Allocates only for the short frame of a flush. */
export function createFrameCutter(ports: FrameCutterPorts): FrameCutter {
  let frame: Float32Array<ArrayBuffer> | null = null;
  let filled = 0;
  let startSample = 0;

  function emit(finished: Float32Array<ArrayBuffer>): void {
    const start = startSample;
    startSample += finished.length;
    filled = 0;
    ports.emit(finished, start);
  }

  return {
    push(samples, count) {
      for (let done = 0; done < count; ) {
        frame ??= ports.take();
        const part = Math.min(count - done, FRAME_SAMPLES - filled);
        for (let i = 0; i < part; i++) frame[filled + i] = samples[done + i] ?? 0;
        filled += part;
        done += part;
        if (filled === FRAME_SAMPLES) {
          const finished = frame;
          frame = null;
          emit(finished);
        }
      }
    },
    flush() {
      // A copy, since a view would bring the rest of its buffer along to whoever stores it.
      if (frame !== null && filled > 0) emit(frame.slice(0, filled));
    },
    get positionSamples() {
      return startSample + filled;
    },
  };
}
