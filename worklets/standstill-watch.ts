/**
 * Audio between two looks at the clock: reading it makes garbage, so that it is not done for each
 * block.
 */
const LOOK_EVERY_MS = 100;

/** Blocks come in bursts, and a busy machine stutters: less than this is no standstill. */
const STANDSTILL_MS = 1_000;

/**
 * Finds out that the browser stood still: its own clock does too, so that no block is missing by
 * it.
 */
export type StandstillWatch = ReturnType<typeof createStandstillWatch>;

/**
 * Compares the audio with the computer's clock: a context that is suspended, one that says it runs
 * and does not, a computer that sleeps. A clock that somebody sets forward by a second or more
 * looks the same: then a gap is marked, and told, where none was, and no audio is lost by it.
 */
export function createStandstillWatch(
  rateHz: number,
  nowMs: () => number,
  /** When audio came last, if before the first block. */
  heardAtMs: number | null = null,
) {
  const lookEveryFrames = Math.round((rateHz * LOOK_EVERY_MS) / 1_000);
  let framesSinceLook = 0;
  let lookedAtMs = heardAtMs;

  return {
    /**
     * Takes note of a block; answers for how many ms no audio came before it, mostly 0. Off by 100 ms
     * at most.
     */
    advance(frames: number): number {
      framesSinceLook += frames;
      if (lookedAtMs !== null && framesSinceLook < lookEveryFrames) return 0;
      const now = nowMs();
      const heardMs = (framesSinceLook * 1_000) / rateHz;
      const unheardMs = lookedAtMs === null ? 0 : now - lookedAtMs - heardMs;
      lookedAtMs = now;
      framesSinceLook = 0;
      return unheardMs >= STANDSTILL_MS ? unheardMs : 0;
    },
  };
}
