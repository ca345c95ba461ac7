import { downMix } from '../src/core/audio/samples.ts';
import type { FrameStream } from './frame-stream.ts';
import type { Resampler } from './resampler.ts';

type CapturePipelinePorts = {
  readonly resampler: Resampler;
  /** Takes the samples and the marks. */
  readonly stream: FrameStream;
  /** The index of the first sample. @default 0 */
  readonly startSample?: number;
};

export type CapturePipeline = ReturnType<typeof createCapturePipeline>;

/**
 * Blocks of a microphone in, samples and marks out: down-mix and resampling. Indices count the samples that there are: pauses and gaps have
 * none, so the index of a frame is always the end of the one before. After a gap the audio on both
 * sides is joined: the resampler's phase stays right, and the `gap` mark tells where the joint is
 * (it may lie in the frame being filled, which then follows the mark).
 */
export function createCapturePipeline(ports: CapturePipelinePorts) {
  const { resampler, stream, startSample = 0 } = ports;
  let state: 'running' | 'paused' | 'ended' = 'running';
  let blockFrames = 0;
  const gaps = createGapWatch();

  function markGap(lostInputFrames: number): void {
    // The filter runs behind: the joint lies beyond what has come out of it.
    stream.mark({ kind: 'gap', atSample: startSample + resampler.dueSamples, lostInputFrames });
  }

  function flush(): void {
    stream.push(resampler.output, resampler.flush());
  }

  return {
    /**
     * Takes one block of all channels, whose first frame is number `blockFrame` on the context's
     * clock. A block without channels before the first one with channels is the time before the
     * microphone is there; after it, it is silence as long as the block before.
     */
    push(channels: readonly Float32Array[], blockFrame: number) {
      const frames = channels[0]?.length ?? blockFrames;
      if (frames === 0) return;
      blockFrames = frames;
      const lostInputFrames = gaps.advance(blockFrame, frames);
      if (state !== 'running') return stream.pump();
      if (lostInputFrames > 0) markGap(lostInputFrames);
      for (let from = 0; from < frames; from += resampler.input.length) {
        const part = Math.min(frames - from, resampler.input.length);
        downMix(channels, from, part, resampler.input);
        stream.push(resampler.output, resampler.process(part));
      }
    },
    /** Nothing was heard before the next block: so many input frames are missing. */
    standStill(lostInputFrames: number) {
      if (state === 'running') markGap(lostInputFrames);
    },
    /** Gives out everything taken so far, then the mark; what is pushed until `resume` is dropped. */
    pause() {
      if (state !== 'running') return;
      flush();
      state = 'paused';
      stream.mark({ kind: 'paused', atSample: stream.positionSamples });
    },
    resume() {
      if (state !== 'paused') return;
      state = 'running';
      stream.mark({ kind: 'resumed', atSample: stream.positionSamples });
    },
    /** Gives out everything taken so far, then the mark; nothing is added ever after. */
    end() {
      if (state === 'ended') return;
      const isRunning = state === 'running';
      state = 'ended';
      try {
        if (isRunning) flush();
      } finally {
        const { inputFrames } = resampler;
        stream.mark({ kind: 'ended', atSample: stream.positionSamples, inputFrames });
        stream.flush();
      }
    },
  };
}

/**
 * Finds blocks that the browser skipped: one that begins later than the ones before end follows a
 * loss.
 *
 * `currentFrame` must not be taken at its word: Chromium updates it only when the audio thread gets
 * the graph's lock at once (`BaseAudioContext::UpdateWorkletGlobalScopeOnRenderingThread`), so that
 * it may stand still for some blocks and then leap to the right value. Hence the blocks themselves
 * are counted, and the count begins when the clock has been seen to move.
 */
export function createGapWatch() {
  let firstFrame: number | null = null;
  let expectedFrame: number | null = null;

  return {
    /**
     * Takes note of a block of `frames` that begins at `blockFrame` on the context's clock; answers
     * how many frames are missing before it, mostly 0.
     */
    advance(blockFrame: number, frames: number): number {
      firstFrame ??= blockFrame;
      if (expectedFrame === null) {
        if (blockFrame !== firstFrame) expectedFrame = blockFrame + frames;
        return 0;
      }
      const lost = Math.max(0, blockFrame - expectedFrame);
      expectedFrame += lost + frames;
      return lost;
    },
  };
}

/** Audio between two readings of the clock, since each makes garbage. */
const CHECK_EVERY_MS = 100;

/** Blocks come in bursts, and a busy machine stutters: less than this is no standstill. */
const STANDSTILL_MS = 1_000;

/**
 * Finds out that the browser stood still, by the computer's clock: the context's own stands still,
 * too. That is a context that is suspended, one that says it runs and does not, a computer that
 * sleeps. A clock that is set forward by a second or more has the same effect: a gap is marked, and
 * told, where none was, and no audio is lost by it.
 */
export function createStandstillWatch(
  rateHz: number,
  nowMs: () => number,
  /** When audio came last, if before the first block. */
  heardAtMs: number | null = null,
) {
  const checkEveryFrames = Math.round((rateHz * CHECK_EVERY_MS) / 1_000);
  let framesSinceCheck = 0;
  let checkedAtMs = heardAtMs;

  return {
    /**
     * Takes note of a block; answers for how many ms no audio came before it, mostly 0. Off by 100 ms
     * at most.
     */
    advance(frames: number): number {
      framesSinceCheck += frames;
      if (checkedAtMs !== null && framesSinceCheck < checkEveryFrames) return 0;
      const now = nowMs();
      const heardMs = (framesSinceCheck * 1_000) / rateHz;
      const unheardMs = checkedAtMs === null ? 0 : now - checkedAtMs - heardMs;
      checkedAtMs = now;
      framesSinceCheck = 0;
      return unheardMs >= STANDSTILL_MS ? unheardMs : 0;
    },
  };
}
