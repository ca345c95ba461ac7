import { type Clock, isSince } from '../../src/core/clock.ts';
import { DikteraError } from '../../src/core/errors.ts';
import type { KeptRecording, SnapshotEvent } from '../../src/core/session/snapshot.ts';
import type { DictationLocks, ReleaseLock } from '../../src/platform/locks.ts';
import type { Recordings } from '../recordings/recordings.ts';
import type { Journal } from '../store/journal.ts';
import type { DictationEntries, DictationEntry } from '../upload/dictation-entry.ts';
import type { UploadQueue } from '../upload/upload-queue.ts';
import type { SampleAccounts } from './sample-accounts.ts';

type LettingGoPorts = {
  readonly entries: DictationEntries;
  readonly queue: UploadQueue;
  readonly journal: Journal;
  readonly locks: DictationLocks;
  readonly recordings: Recordings;
  readonly accounts: SampleAccounts;
  readonly isPlaceHeld: (dictationId: string) => Promise<boolean>;
  readonly clock: Clock;
  readonly publishLedger: () => void;
  readonly dispatch: (event: SnapshotEvent) => void;
};

type TakeSession = (dictationId: string) => Promise<ReleaseLock | undefined>;

/**
 * Lets go of dictations that are over: their lock is given back and their journal deleted when
 * all of them is stored, and not before.
 */
export type LettingGo = ReturnType<typeof createLettingGo>;

export function createLettingGo(ports: LettingGoPorts) {
  const { entries, queue, journal, locks, recordings, accounts, dispatch } = ports;

  async function release(id: string, entry: DictationEntry): Promise<void> {
    const own = entry.held;
    if (!own) return;
    const settled = own.isAsked ? journal.flush(id) : own.settle();
    own.isAsked = true;
    const isSettled = await settled.then(
      () => true,
      () => false,
    );
    // A chunk that came meanwhile: its turn comes when it is stored.
    own.isAsked &&= !queue.cache.hasUnstored(id);
    if (!isSettled || !own.isAsked || entry.held !== own) return;
    entry.held = null;
    await own.release();
    queue.sessionClosed();
  }

  /** Once at a time. */
  async function releaseIfStored(id: string, entry: DictationEntry): Promise<void> {
    const own = entry.held;
    if (!own || (!own.settling && queue.cache.hasUnstored(id))) return;
    own.settling ??= release(id, entry).finally(() => {
      own.settling = undefined;
    });
    await own.settling;
  }

  /**
   * Takes over the lock of a session that is over. When all of it is stored, or thrown away, its
   * journal is settled and the lock released. Until then no other tab may recover it: it would cut
   * delivered chunks again, and a journal on the same full disk may have less than memory. `settle`
   * removes the journal, and rejects if that fails. Fulfilled when that was tried as far as it can
   * be now.
   */
  function hold(id: string, releaseLock: ReleaseLock, settle: () => Promise<void>): Promise<void> {
    const entry = entries.of(id);
    entry.held = { release: releaseLock, settle, settling: undefined, isAsked: false };
    return releaseIfStored(id, entry);
  }

  function unencodable(): readonly KeptRecording[] {
    const all = [...entries.all()].flatMap(([, entry]) => entry.unencodable ?? []);
    return all.sort((a, b) => a.startedAtMs - b.startedAtMs);
  }

  /** The speech of a session that could not be encoded is in the queue now, or deleted. */
  function forgetUnencodable(id: string): void {
    const entry = entries.of(id);
    if (!entry.unencodable) return;
    entry.unencodable = null;
    const kept = unencodable();
    dispatch({ kind: 'kept-changed', kept });
    if (kept.length === 0) dispatch({ kind: 'notice-cleared', notice: 'recording-kept' });
  }

  /**
   * Removes the journal of a session. False, and nothing done, if the session is open elsewhere, or
   * `isToGo` says no. A journal that could not be deleted would be cut again by others: its lock is
   * kept until it is gone.
   */
  async function removeTaken(
    id: string,
    take: TakeSession,
    isToGo: (id: string) => Promise<boolean>,
  ): Promise<boolean> {
    const releaseLock = await take(id);
    if (!releaseLock) return false;
    if (!(await isToGo(id))) {
      await releaseLock();
      return false;
    }
    const isGone = await journal.remove(id).then(
      () => true,
      () => false,
    );
    await hold(id, releaseLock, async () => {
      if (!isGone) await journal.remove(id);
    });
    return true;
  }

  /** The lock of a held session goes to who throws it away. */
  async function takeHeldOrOrphan(id: string): Promise<ReleaseLock | undefined> {
    const entry = entries.of(id);
    const { held } = entry;
    entry.held = null;
    return held?.release ?? locks.takeOrphan(id);
  }

  /**
   * Its sound is kept until it cannot be had back any more. False if somebody has it open, or there
   * is no recording and there must be one.
   */
  async function isJournalDeleted(id: string, needsRecording = false): Promise<boolean> {
    const isKept = async (): Promise<boolean> => {
      await recordings.complete(id);
      return !needsRecording || recordings.has(id);
    };
    if (!(await removeTaken(id, takeHeldOrOrphan, isKept))) return false;
    accounts.journalDeleted(id);
    // The account goes with what is told next: by itself it may wait.
    ports.publishLedger();
    forgetUnencodable(id);
    return true;
  }

  /** Rejects, when the work is done, where it could not be seen what waits: all of it is to go. */
  async function inSight(work: () => Promise<void>): Promise<void> {
    const isSeen = await queue.look();
    await work();
    if (!isSeen) throw new DikteraError('storage-failed', 'The queue is not read');
  }

  return {
    hold,
    /** True if memory alone has something of a session: others leave it alone. */
    isHeld: (id: string): boolean => entries.of(id).held !== null,
    /** The queue has changed, or time has passed. */
    look(): void {
      for (const [id, entry] of entries.all()) void releaseIfStored(id, entry);
    },
    unencodable,
    /** Speech of a session waits in its journal alone. */
    noteUnencodable(recording: KeptRecording): void {
      entries.of(recording.dictationId).unencodable = recording;
      dispatch({ kind: 'kept-changed', kept: unencodable() });
      dispatch({ kind: 'notice-raised', notice: 'recording-kept', error: recording.error });
    },
    forgetUnencodable,
    /**
     * Deletes the journal of a session nothing of which waits any more, and which `take` says is
     * ours to take.
     */
    async forgetIfSettled(id: string, take: TakeSession = locks.takeOrphan): Promise<void> {
      const { isUnread, unencodable: rest } = entries.of(id);
      if (queue.holds(id) || rest || isUnread) return;
      await removeTaken(id, take, async () => {
        await recordings.complete(id);
        return true;
      });
    },
    /** A person throws away what the journal has of a session; nothing happens to an open one. */
    async deleteJournal(id: string): Promise<void> {
      if (await isJournalDeleted(id)) await recordings.discarded(id);
    },
    /**
     * Puts a recording that a gone page had cancelled into the bin, and drops its chunks from the
     * queue.
     */
    throwAway: (id: string): Promise<void> =>
      inSight(async () => {
        if (!(await isJournalDeleted(id))) return;
        for (const head of queue.cache.list())
          if (head.dictationId === id) await queue.discard(head.id);
        await recordings.discarded(id);
      }),
    /**
     * Puts a recording into the bin, and throws away what waits of it: also what a worker just
     * started has not read yet, or another tab has stored. Rejects where storage refused; asked
     * again, the rest goes.
     */
    deleteRecording: (id: string): Promise<void> => inSight(() => recordings.delete(id)),
    /**
     * Deletes all stored audio and text, except of the sessions spared, and of those that are open
     * or have their place held, here or in another tab. With `recordings`, sessions without a
     * recording stay too. A session with a recording goes into the bin with it. What has begun
     * since it was asked for, in whichever tab, was not meant: it is spared as well. Rejects, when
     * all else has been done, if storage refused.
     */
    async deleteAll(
      spared: Set<string>,
      askedAtMs: number,
      what: 'everything' | 'recordings' = 'everything',
    ): Promise<void> {
      const isNew = (startedAtMs: number): boolean => isSince(startedAtMs, askedAtMs, ports.clock);
      const unsent = new Set<string>();
      // First: what the queue has of a session counts as an open tab's while there is a journal.
      for (const { dictationId: id, startedAtMs } of await journal.list()) {
        if (isNew(startedAtMs)) spared.add(id);
        if (spared.has(id) || (await ports.isPlaceHeld(id))) continue;
        // Brought into the queue just now, it is deleted there.
        await entries.of(id).recovering?.catch(() => {});
        if (await isJournalDeleted(id, what === 'recordings')) unsent.add(id);
      }
      // While it can be seen what waits of them.
      const deleting = inSight(async () => {
        for (const { dictationId: id, createdAtMs } of queue.cache.list()) {
          if (isNew(createdAtMs)) spared.add(id);
        }
        await recordings.deleteAll(spared, askedAtMs, unsent);
      });
      const refusal = await deleting.catch((thrown: unknown) => thrown);
      if (what === 'everything') await queue.discardAll(spared, askedAtMs);
      if (refusal) throw refusal;
    },
  };
}
