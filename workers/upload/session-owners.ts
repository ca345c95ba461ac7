/** Who owns the queue's sessions: this tab, nobody any more, or another tab. */
export type SessionOwners = {
  /** The session is this tab's. */
  adopt(sessionId: string): void;
  /** Not this tab's any more: part of it is still to be brought into the queue. */
  disown(sessionId: string): void;
  /** Whether nothing that was disowned is still to be brought into the queue, here or elsewhere. */
  readonly isAllBrought: boolean;
  /** Another tab's, as far as is known: its chunks are not ours to send or show. */
  isForeign(sessionId: string): boolean;
  /** Asks anew whose these sessions are; true if some are other tabs'. */
  look(sessionIds: ReadonlySet<string>): Promise<boolean>;
};

/**
 * Makes owners that know of no session; what is in the store may be another tab's until it was
 * asked.
 */
export function createSessionOwners(
  isOrphan: (sessionId: string) => Promise<boolean>,
): SessionOwners {
  const own = new Set<string>();
  const disowned = new Set<string>();
  let orphans: ReadonlySet<string> = new Set();

  const isForeign = (sessionId: string): boolean => !orphans.has(sessionId) && !own.has(sessionId);

  return {
    adopt(sessionId) {
      own.add(sessionId);
      disowned.delete(sessionId);
    },
    disown(sessionId) {
      own.delete(sessionId);
      disowned.add(sessionId);
    },
    get isAllBrought() {
      return disowned.size === 0;
    },
    isForeign,
    async look(sessionIds) {
      const found = new Set<string>();
      for (const sessionId of new Set([...sessionIds, ...disowned])) {
        if (!own.has(sessionId) && (await isOrphan(sessionId))) found.add(sessionId);
      }
      const before = orphans;
      orphans = found;
      // Somebody has it again for a moment, to look into its journal or to delete it: it is not gone.
      for (const sessionId of before) {
        if (sessionIds.has(sessionId) && isForeign(sessionId)) disowned.add(sessionId);
      }
      for (const sessionId of found) disowned.delete(sessionId);
      return [...sessionIds].some(isForeign);
    },
  };
}
