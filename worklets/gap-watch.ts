/** Finds blocks that the browser skipped. */
export type GapWatch = ReturnType<typeof createGapWatch>;

/**
 * A block that begins later than where the ones before end was preceded by a loss.
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
