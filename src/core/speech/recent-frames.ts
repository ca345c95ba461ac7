import { FRAME_SAMPLES } from '../audio/audio-format.ts';

/**
 * 3.8 s. Heard at a level that the model knows, quiet speech is found after any history from 0.4 to
 * 6 s: the shorter ones forget the melody, and take the next of 0.5 to 2 s long notes for speech;
 * 1.9 s and 2.9 s did, this does not.
 */
export const RECENT_FRAMES = 40;
/**
 * The ninth loudest of all says how loud it is: eight may be key clicks, a breath or a cough,
 * beside which quiet speech would be left as it is. Fewer frames, a place nearer to the loudest.
 */
const LOUD_PLACE = 8;

/**
 * The last frames, oldest first, in memory of their own: the caller may fill a frame's memory
 * again.
 */
export type RecentFrames = ReturnType<typeof createRecentFrames>;

export function createRecentFrames() {
  const kept = Array.from({ length: RECENT_FRAMES }, () => ({
    frame: new Float32Array(FRAME_SAMPLES),
    levelDbfs: 0,
  }));
  let pushed = 0;

  function place(index: number) {
    const found = kept[index % RECENT_FRAMES];
    if (!found) throw new RangeError(`There is no frame ${index}`);
    return found;
  }

  const oldest = (): number => Math.max(0, pushed - RECENT_FRAMES);
  const count = (): number => pushed - oldest();

  return {
    /** Keeps a frame; its level is in dBFS. */
    push(frame: Float32Array, levelDbfs: number) {
      const into = place(pushed++);
      into.levelDbfs = levelDbfs;
      into.frame.set(frame.subarray(0, FRAME_SAMPLES));
      into.frame.fill(0, Math.min(frame.length, FRAME_SAMPLES));
    },
    /** `index` counts from the oldest that is kept. */
    at: (index: number): Float32Array => place(oldest() + index).frame,
    get count(): number {
      return count();
    },
    /** The level of the loudest but for a few that stand out; -Infinity when there are none. */
    get loudDbfs(): number {
      const levels = Array.from({ length: count() }, (_, i) => place(oldest() + i).levelDbfs);
      const sorted = levels.sort((a, b) => b - a);
      return sorted[Math.floor((LOUD_PLACE * count()) / RECENT_FRAMES)] ?? Number.NEGATIVE_INFINITY;
    },
    clear() {
      pushed = 0;
    },
  };
}
