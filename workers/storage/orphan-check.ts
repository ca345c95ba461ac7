import type { Clock } from '../../src/core/clock.ts';
import type { Journal } from '../../src/core/journal.ts';
import type { SessionLocks } from './session-lock.ts';

/** A queue asks about all its sessions in one go: one look at the journal does for them. */
const LOOK_LASTS_MS = 200;

/**
 * Whether a session's chunks are everybody's: its tab is gone, and nothing of it is in the journal any
 * more. Until a recovery has taken the journal into the queue, the last chunk there may be cut anew
 * under the same id, and must not be sent as it is.
 */
export function createOrphanCheck(ports: {
  readonly journal: Pick<Journal, 'list'>;
  readonly locks: Pick<SessionLocks, 'isOrphan'>;
  readonly clock: Clock;
}): (sessionId: string) => Promise<boolean> {
  const { journal, locks, clock } = ports;
  let looking: Promise<ReadonlySet<string>> | null = null;

  function journalled(): Promise<ReadonlySet<string>> {
    if (looking) return looking;
    clock.after(LOOK_LASTS_MS, () => {
      looking = null;
    });
    looking = journal.list().then(
      (headers) => new Set(headers.map(({ sessionId }) => sessionId)),
      () => new Set(), // A journal that can't be read can't be recovered either.
    );
    return looking;
  }

  return async (sessionId) =>
    (await locks.isOrphan(sessionId)) && !(await journalled()).has(sessionId);
}
