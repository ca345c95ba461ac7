/**
 * The chunks that a live session waits for, or will cut anew: they are not the backlog's to send.
 */
export type LiveChunks = {
  has(id: string): boolean;
  /** A session waits for these from now on. */
  add(ids: readonly string[]): void;
  /**
   * Their round is over, or nobody waits for them any more: they are the backlog's, if not done.
   */
  letGo(ids: readonly string[]): void;
};

/** Makes an empty list. */
export function createLiveChunks(): LiveChunks {
  const live = new Set<string>();
  return {
    has: (id) => live.has(id),
    add(ids) {
      for (const id of ids) live.add(id);
    },
    letGo(ids) {
      for (const id of ids) live.delete(id);
    },
  };
}
