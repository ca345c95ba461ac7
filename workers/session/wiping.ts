import type { ReleaseLock } from '../storage/held-lock.ts';
import type { SessionParts } from './session-parts.ts';

export type WipingPorts = Pick<
  SessionParts,
  | 'journal'
  | 'queue'
  | 'locks'
  | 'kept'
  | 'unread'
  | 'unstored'
  | 'recordings'
  | 'isPlaceHeld'
  | 'accounts'
  | 'publishLedger'
>;

type TakeSession = (sessionId: string) => Promise<ReleaseLock | undefined>;

/** What a wipe must spare by its being asked for: sessions open then, and the one running here. */
export function sparedOf(
  openIds: readonly string[],
  runningId: string | null,
): ReadonlySet<string> {
  return new Set(runningId === null ? openIds : [...openIds, runningId]);
}

/**
 * Deletes all stored audio and text but that of the sessions spared, and of those somebody has open
 * or keeps a place for, here or in another tab.
 */
export async function wipeAll(ports: WipingPorts, spared: ReadonlySet<string>): Promise<void> {
  // While it can be seen what waits of them. Storage that fails is told there.
  await ports.recordings.deleteAll(spared).catch(() => {});
  await ports.queue.discardAll(spared);
  for (const { sessionId } of await ports.journal.list()) {
    if (spared.has(sessionId) || (await ports.isPlaceHeld(sessionId))) continue;
    await deleteJournal(ports, sessionId);
  }
}

/** The user throws away what the journal has of a session; nothing happens to one that is open. */
export async function deleteJournal(ports: WipingPorts, sessionId: string): Promise<void> {
  const { kept, accounts, publishLedger, unstored, locks, recordings } = ports;
  const take: TakeSession = async (id) => unstored.takeFrom(id) ?? locks.takeOrphan(id);
  const isOurs = await removeTaken(ports, sessionId, take);
  if (!isOurs) return;
  accounts.journalDeleted(sessionId);
  // The account goes with what is told next: by itself it may wait.
  publishLedger();
  kept.forget(sessionId);
  // What is kept of it has come to its end.
  await recordings.look();
}

/**
 * Deletes the journal of a session nothing of which waits any more, and which `take` says is ours
 * to take.
 */
export async function forgetIfSettled(
  ports: WipingPorts,
  sessionId: string,
  take: TakeSession = ports.locks.takeOrphan,
): Promise<void> {
  const { queue, kept, unread, recordings } = ports;
  if (queue.holds(sessionId) || kept.has(sessionId) || unread.has(sessionId)) return;
  await removeTaken(ports, sessionId, take, recordings.complete);
}

/**
 * False, and nothing done, if somebody has the session open. A journal that could not be deleted
 * would be cut anew by others: its lock is kept until it is gone.
 */
async function removeTaken(
  { journal, unstored }: WipingPorts,
  sessionId: string,
  take: TakeSession,
  keep: (sessionId: string) => Promise<void> = async () => {},
): Promise<boolean> {
  const release = await take(sessionId);
  if (!release) return false;
  await keep(sessionId);
  const isGone = await journal.remove(sessionId).then(
    () => true,
    () => false,
  );
  await unstored.hold(sessionId, release, async () => {
    if (!isGone) await journal.remove(sessionId);
  });
  return true;
}
