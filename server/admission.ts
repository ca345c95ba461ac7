import { queueFull } from './work-queue.ts';

/** Counts the upload bytes in memory, so that many large uploads at once cannot exhaust it. */
export type Admission = {
  /**
   * Reserves room for a body of `bytes`; call the result once when the request is over. Throws
   * `queue_full` when there is no room.
   */
  enter(bytes: number): () => void;
};

/** Admits bodies up to `maxHeldBytes` together; a single one is always let in when nothing is held. */
export function createAdmission(maxHeldBytes: number): Admission {
  let heldBytes = 0;
  return {
    enter(bytes) {
      if (heldBytes > 0 && heldBytes + bytes > maxHeldBytes) throw queueFull();
      heldBytes += bytes;
      let isHeld = true;
      return () => {
        if (isHeld) heldBytes -= bytes;
        isHeld = false;
      };
    },
  };
}
