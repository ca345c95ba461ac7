import type { Journal } from '../../src/core/session/journal.ts';
import type { DictationLocks } from '../../src/platform/locks.ts';

/**
 * Whether a session's chunks are everybody's: its tab is gone, and nothing of it is in the journal
 * any more. Until a recovery has taken the journal into the queue, the last chunk there may be cut
 * anew under the same id, and must not be sent as it is.
 */
export function createOrphanCheck(ports: {
  readonly journal: Pick<Journal, 'list'>;
  readonly locks: Pick<DictationLocks, 'isOrphan'>;
  /** Told of a session whose journal could not be looked for: it may have the rest. */
  readonly onUnread: (sessionId: string) => void;
}): (sessionId: string) => Promise<boolean> {
  const { journal, locks, onUnread } = ports;
  return async (sessionId) => {
    if (!(await locks.isOrphan(sessionId))) return false;
    // A journal that can't be read can't be recovered either, now.
    const headers = await journal.list().catch(() => null);
    if (!headers) onUnread(sessionId);
    return !headers?.some((header) => header.sessionId === sessionId);
  };
}
