import { DikteraError } from '../../src/core/errors.ts';
import type { ReleaseLock } from '../store/held-lock.ts';
import type { UploadQueue } from '../upload/upload-queue.ts';
import type { Recovery } from './recovery.ts';
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
> & { readonly recovery: Pick<Recovery, 'ended'> };

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
 * or keeps a place for, here or in another tab; of `recordings` alone, what has none stays. What has
 * one goes into the bin with it. Rejects, when all else has been done, where storage refused.
 */
export async function wipeAll(
  ports: WipingPorts,
  spared: ReadonlySet<string>,
  what: 'everything' | 'recordings' = 'everything',
): Promise<void> {
  const { recordings, queue, journal } = ports;
  const unsent = new Set<string>();
  // First: what the queue has of a session counts as an open tab's while there is a journal.
  for (const { sessionId } of await journal.list()) {
    if (spared.has(sessionId) || (await ports.isPlaceHeld(sessionId))) continue;
    // Brought into the queue just now, it is deleted there.
    await ports.recovery.ended(sessionId);
    if (await isJournalDeleted(ports, sessionId, what === 'recordings')) unsent.add(sessionId);
  }
  // While it can be seen what waits of them.
  const deleting = inSight(queue, () => recordings.deleteAll(spared, unsent));
  const refusal = await deleting.catch((thrown: unknown) => thrown);
  if (what === 'everything') await queue.discardAll(spared);
  if (refusal) throw refusal;
}

/** Rejects, when the work is done, where it could not be seen what waits: all of it is to go, too. */
async function inSight(queue: Pick<UploadQueue, 'look'>, work: () => Promise<void>): Promise<void> {
  const isSeen = await queue.look();
  await work();
  if (!isSeen) throw new DikteraError('storage-failed', 'The queue is not read');
}

/**
 * Puts a recording into the bin, and throws away what waits of it: also what a worker just started
 * has not read yet, or another tab has stored. Rejects where storage refused; asked again, the rest
 * goes.
 */
export async function deleteRecording(
  { queue, recordings }: Pick<WipingPorts, 'queue' | 'recordings'>,
  id: string,
): Promise<void> {
  await inSight(queue, () => recordings.delete(id));
}

/** The user throws away what the journal has of a session; nothing happens to one that is open. */
export async function deleteJournal(ports: WipingPorts, sessionId: string): Promise<void> {
  if (await isJournalDeleted(ports, sessionId)) await ports.recordings.discarded(sessionId);
}

/**
 * Its sound is kept until it cannot be had back any more. False if somebody has it open, or there is
 * no recording and there must be one.
 */
async function isJournalDeleted(
  ports: WipingPorts,
  sessionId: string,
  needsRecording = false,
): Promise<boolean> {
  const { kept, accounts, publishLedger, unstored, locks, recordings } = ports;
  const take: TakeSession = async (id) => unstored.takeFrom(id) ?? locks.takeOrphan(id);
  const isKept = async (id: string): Promise<boolean> => {
    await recordings.complete(id);
    return !needsRecording || recordings.has(id);
  };
  if (!(await removeTaken(ports, sessionId, take, isKept))) return false;
  accounts.journalDeleted(sessionId);
  // The account goes with what is told next: by itself it may wait.
  publishLedger();
  kept.forget(sessionId);
  return true;
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
  await removeTaken(ports, sessionId, take, async (id) => {
    await recordings.complete(id);
    return true;
  });
}

/**
 * False, and nothing done, if somebody has the session open, or `isToGo` says so. A journal that
 * could not be deleted would be cut anew by others: its lock is kept until it is gone.
 */
async function removeTaken(
  { journal, unstored }: WipingPorts,
  sessionId: string,
  take: TakeSession,
  isToGo: (sessionId: string) => Promise<boolean>,
): Promise<boolean> {
  const release = await take(sessionId);
  if (!release) return false;
  if (!(await isToGo(sessionId))) {
    await release();
    return false;
  }
  const isGone = await journal.remove(sessionId).then(
    () => true,
    () => false,
  );
  await unstored.hold(sessionId, release, async () => {
    if (!isGone) await journal.remove(sessionId);
  });
  return true;
}
