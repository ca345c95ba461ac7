import { downMix } from '../src/core/down-mix.ts';
import { createFrameCutter } from '../src/core/frame-cutter.ts';
import type { FrameMessage } from '../src/core/frame-protocol.ts';
import type { FramePool } from './frame-pool.ts';
import { createGapWatch } from './gap-watch.ts';
import type { Resampler } from './resampler.ts';

/** What the pipeline needs from its surroundings. */
export type CapturePipelinePorts = {
  readonly resampler: Resampler;
  readonly pool: FramePool;
  /**
   * Sends a message. The transfer list names memory that goes with it. Both objects are used again
   * for the next frame, so they must be copied or cloned before `post` returns.
   */
  post(message: FrameMessage, transfer: ArrayBuffer[]): void;
};

/** Blocks of a microphone in, the messages of `FrameMessage` out. */
export type CapturePipeline = {
  /**
   * Takes one block of all channels, whose first frame is number `blockFrame` on the context's
   * clock. A block without channels before the first one with channels is the time before the
   * microphone is there; after it, it is silence as long as the block before.
   */
  push(channels: readonly Float32Array[], blockFrame: number): void;
  /** Sends everything taken so far, then the mark; what is pushed until `resume` is dropped. */
  pause(): void;
  resume(): void;
  /** Sends everything taken so far, then the mark; nothing is sent ever after. */
  end(): void;
};

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };
type Frame = Writable<Extract<FrameMessage, { kind: 'frame' }>>;

const NOTHING: ArrayBuffer[] = [];

/**
 * Down-mix, resampling and cutting. Indices count the samples that there are: pauses and gaps have
 * none, so the index of a frame is always the end of the one before. After a gap the audio on both
 * sides is joined: the resampler's phase stays right, and the `gap` mark tells where the joint is
 * (it may lie in the frame being filled, which then follows the mark).
 */
export function createCapturePipeline(ports: CapturePipelinePorts): CapturePipeline {
  const { resampler, pool } = ports;
  let state: 'running' | 'paused' | 'ended' = 'running';
  let blockFrames = 0;
  const gaps = createGapWatch();

  const message: Frame = { kind: 'frame', startSample: 0, samples: new Float32Array(0) };
  const transfer: ArrayBuffer[] = [];
  const cutter = createFrameCutter({
    take: () => pool.take(),
    emit(frame, startSample) {
      message.startSample = startSample;
      message.samples = frame;
      transfer[0] = frame.buffer;
      ports.post(message, transfer);
    },
  });

  function mark(mark: Exclude<FrameMessage, { kind: 'frame' }>): void {
    ports.post(mark, NOTHING);
  }

  function markGap(lostInputFrames: number): void {
    // The filter runs behind: the joint lies beyond what has been cut.
    mark({ kind: 'gap', atSample: resampler.dueSamples, lostInputFrames });
  }

  function flush(): void {
    try {
      cutter.push(resampler.output, resampler.flush());
    } finally {
      cutter.flush();
    }
  }

  return {
    push(channels, blockFrame) {
      const frames = channels[0]?.length ?? blockFrames;
      if (frames === 0) return;
      blockFrames = frames;
      const lostInputFrames = gaps.advance(blockFrame, frames);
      if (state !== 'running') return;
      if (lostInputFrames > 0) markGap(lostInputFrames);
      for (let from = 0; from < frames; from += resampler.input.length) {
        const part = Math.min(frames - from, resampler.input.length);
        downMix(channels, from, part, resampler.input);
        cutter.push(resampler.output, resampler.process(part));
      }
    },
    pause() {
      if (state !== 'running') return;
      flush();
      state = 'paused';
      mark({ kind: 'paused', atSample: cutter.positionSamples });
    },
    resume() {
      if (state !== 'paused') return;
      state = 'running';
      mark({ kind: 'resumed', atSample: cutter.positionSamples });
    },
    end() {
      if (state === 'ended') return;
      const isRunning = state === 'running';
      state = 'ended';
      try {
        if (isRunning) flush();
      } finally {
        const { inputFrames } = resampler;
        mark({ kind: 'ended', atSample: cutter.positionSamples, inputFrames });
      }
    },
  };
}
