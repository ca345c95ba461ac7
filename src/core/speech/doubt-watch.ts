import { RECENT_FRAMES } from './recent-frames.ts';

/**
 * What the fresh hearing has to do with the frame that the carried one has just inferred: nothing,
 * go on, or begin anew: forget, and hear the recent frames again, this one among them.
 */
export type FreshTask = 'rest' | 'follow' | 'relisten';

/**
 * Decides when a second hearing is asked for, and when it is let go. Pure: the same row gives the
 * same tasks.
 */
export type DoubtWatch = ReturnType<typeof createDoubtWatch>;

/**
 * From here on, though not yet sure, the carried hearing doubts. A stale state gives speech under
 * noise as little as 0.002. In sound without speech this costs the second hearing's inference for
 * nearly every frame, and starts next to nothing.
 */
export const DOUBT_PROBABILITY = 0.001;
/** The carried hearing is sure by itself: the recording preset's threshold. */
const SURE_PROBABILITY = 0.8;
/**
 * So long without doubt, about two seconds, and the second hearing is let go. Not sooner: between
 * two sentences it is better to have heard the first than to begin anew.
 */
const CALM_FRAMES = 20;
/**
 * Nobody has spoken if neither has come near a half for so long: a second hearing that has grown
 * old begins anew.
 */
const WORDLESS_FRAMES = 10;
const NEAR_SPEECH_PROBABILITY = 0.5;

export function createDoubtWatch() {
  /** Frames since the fresh hearing began anew; null while it rests. */
  let ageFrames: number | null = null;
  let calmFrames = 0;
  let wordlessFrames = WORDLESS_FRAMES;

  return {
    /** The task for a frame, by the carried hearing's probability for it, 0 to 1. */
    task(carried: number): FreshTask {
      const isDoubt = carried >= DOUBT_PROBABILITY;
      calmFrames = isDoubt ? 0 : calmFrames + 1;
      if (ageFrames === null) {
        if (!isDoubt || carried >= SURE_PROBABILITY) return 'rest';
        ageFrames = 0;
        return 'relisten';
      }
      if (calmFrames >= CALM_FRAMES) {
        ageFrames = null;
        return 'rest';
      }
      ageFrames++;
      const isOld = ageFrames >= RECENT_FRAMES && wordlessFrames >= WORDLESS_FRAMES;
      if (!isOld || !isDoubt) return 'follow';
      ageFrames = 0;
      return 'relisten';
    },
    /** What the two hearings say together of that frame. */
    settled(probability: number) {
      wordlessFrames = probability >= NEAR_SPEECH_PROBABILITY ? 0 : wordlessFrames + 1;
    },
    /** Forgets the past. */
    reset() {
      ageFrames = null;
      calmFrames = 0;
      wordlessFrames = WORDLESS_FRAMES;
    },
  };
}
