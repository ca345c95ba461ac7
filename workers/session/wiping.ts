import type { ReleaseLock } from '../storage/held-lock.ts';
import type { SessionParts } from './session-parts.ts';

export type WipingPorts = Pick<
  SessionParts,
  'journal' | 'queue' | 'locks' | 'kept' | 'unread' | 'unstored' | 'accounts' | 'publishLedger'
>;

type TakeSession = (sessionId: string) => Promise<ReleaseLock | undefined>;

/**
 * Deletes all stored audio and text but that of sessions somebody has open, here or in another tab.
 */
export async function wipeAll(ports: WipingPorts, runningId: string | null): Promise<void> {
  ports.unstored.letGoAll();
  await ports.queue.discardAll(runningId);
  for (const { sessionId } of await ports.journal.list()) await deleteJournal(ports, sessionId);
}

/** The user throws away what the journal has of a session; nothing happens to one that is open. */
export async function deleteJournal(ports: WipingPorts, sessionId: string): Promise<void> {
  const { kept, accounts, publishLedger } = ports;
  const release = await removeTaken(ports, sessionId, ports.locks.takeOrphan);
  if (!release) return;
  accounts.journalDeleted(sessionId);
  kept.forget(sessionId);
  publishLedger();
  release();
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
  const { queue, kept, unread } = ports;
  if (queue.holds(sessionId) || kept.has(sessionId) || unread.has(sessionId)) return;
  (await removeTaken(ports, sessionId, take))?.();
}

/** Undefined, and nothing done, if somebody has the session open. */
async function removeTaken(
  { journal }: WipingPorts,
  sessionId: string,
  take: TakeSession,
): Promise<ReleaseLock | undefined> {
  const release = await take(sessionId);
  if (release) await journal.remove(sessionId).catch(() => {});
  return release;
}
