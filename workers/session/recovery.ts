import { DikteraError } from '../../src/core/errors.ts';
import { type Journal, type JournalRecording, restOf } from '../../src/core/session/journal.ts';
import type { SnapshotEvent } from '../../src/core/session/snapshot-events.ts';
import type { EngineChoice, SpeechEngine } from '../../src/core/speech/speech-engine.ts';
import type { Recordings } from '../recordings/recordings.ts';
import type { ReleaseLock } from '../store/held-lock.ts';
import { DEAD_WORKER_WAIT_MS, type SessionLocks } from '../store/session-lock.ts';
import type { SendOutcome } from './chunk-sender.ts';
import type { KeptRecordings } from './kept-recordings.ts';
import { type RecoveryPorts, recoverSession } from './recover-session.ts';
import type { UnstoredSessions } from './unstored-sessions.ts';

export type RecoverySetup = Omit<RecoveryPorts, 'engine'> & {
  readonly journal: Journal;
  readonly locks: SessionLocks;
  readonly kept: KeptRecordings;
  readonly unread: Set<string>;
  readonly unstored: UnstoredSessions;
  readonly recordings: Pick<Recordings, 'recovering' | 'complete'>;
  readonly dispatch: (event: SnapshotEvent) => void;
  /** An engine of its own: a live session's must not hear another's audio. */
  readonly loadEngine: (choice: EngineChoice) => Promise<SpeechEngine>;
};

/** Storage that failed is tried again. */
const RECOVER_AGAIN_MS = 5_000;

type TakeLock = (sessionId: string) => Promise<ReleaseLock | undefined>;

/**
 * How much of a session is in the queue: all, all but what could not be encoded, or what somebody
 * else knows.
 */
export type Recovered = 'whole' | 'in-part' | 'kept-by-another';

/** Brings sessions whose tab or worker died into the queue. */
export type Recovery = {
  /** All orphans of this origin, one after the other. */
  recoverOrphans(): Promise<void>;
  /**
   * One session, waited for until its dead owner lets it go; fulfilled when its chunks wait in the
   * queue. `settle`: what of it stands in the page is settled, before its chunks are offered; where
   * it cannot be recovered now, nobody else may, and it is tried again until it can.
   */
  recover(sessionId: string, settle?: () => Promise<void>): Promise<Recovered>;
  /** Fulfilled when a session is not being recovered here. */
  ended(sessionId: string): Promise<void>;
  /** The sessions that are being recovered here, each until it is. */
  underWay(): Iterable<readonly [sessionId: string, ended: Promise<unknown>]>;
};

export function createRecovery(setup: RecoverySetup): Recovery {
  const { journal, locks, log, kept, queue, dispatch, unstored, recordings } = setup;
  const underWay = new Map<string, Promise<Recovered>>();
  /** What is still to be settled of sessions, and the locks of those that could not be recovered. */
  const owed = new Map<string, () => Promise<void>>();
  const withheld = new Map<string, ReleaseLock>();

  function recover(sessionId: string, takeLock: TakeLock): Promise<Recovered> {
    const running = underWay.get(sessionId);
    if (running) return running;
    const recovering = recoverLocked(sessionId, takeLock).finally(() => underWay.delete(sessionId));
    underWay.set(sessionId, recovering);
    return recovering;
  }

  async function recoverLocked(sessionId: string, takeLock: TakeLock): Promise<Recovered> {
    if (unstored.has(sessionId)) return kept.has(sessionId) ? 'in-part' : 'whole';
    const release = withheld.get(sessionId) ?? (await takeLock(sessionId));
    if (!release) return 'kept-by-another';
    let letGo = async (): Promise<void> => {
      await release();
      queue.sessionClosed();
    };
    try {
      const recording = await journal.read(sessionId, 'cut');
      setup.unread.delete(sessionId);
      if (!recording) {
        conclude(sessionId);
        return 'whole';
      }
      recordings.recovering(recording.header);
      const { unqueued } = await enqueue(recording);
      const settle = async (): Promise<void> => {
        if (unqueued) return;
        await recordings.complete(sessionId);
        await journal.remove(sessionId);
      };
      letGo = () => unstored.hold(sessionId, release, settle);
      noteRest(recording, unqueued);
      await owed.get(sessionId)?.();
      conclude(sessionId);
      // Not before: half a session, sent and answered, would look like a whole one.
      queue.adopt(sessionId);
      return unqueued ? 'in-part' : 'whole';
    } catch (thrown) {
      if (owed.has(sessionId)) letGo = async () => withhold(sessionId, release);
      throw thrown;
    } finally {
      await letGo();
    }
  }

  /** What could not be encoded is offered as it is. */
  function noteRest(
    { header: { sessionId, startedAtMs } }: JournalRecording,
    unqueued: SendOutcome['unqueued'],
  ): void {
    if (unqueued === null) kept.forget(sessionId);
    else kept.note({ sessionId, startedAtMs: startedAtMs || setup.clock.nowMs(), ...unqueued });
  }

  function conclude(sessionId: string): void {
    owed.delete(sessionId);
    withheld.delete(sessionId);
  }

  /** Cut anew by another tab, what stands in the page would be offered again. */
  function withhold(sessionId: string, release: ReleaseLock): void {
    withheld.set(sessionId, release);
    setup.clock.after(RECOVER_AGAIN_MS, () => {
      recover(sessionId, async () => release).catch((error: unknown) => {
        log.error('What is left of a delivered recording could not be looked for', error);
      });
    });
  }

  /** Processed as it would have been, by an engine that is given back whatever fails. */
  async function enqueue(recording: JournalRecording): Promise<SendOutcome> {
    // A chunk that is stored already may be longer than what the journal makes of it.
    if (!(await queue.look())) {
      throw new DikteraError('storage-failed', 'The queue cannot be read, nor be recovered into');
    }
    if (recording.notes.length > 0) {
      dispatch({ kind: 'notice-raised', notice: 'audio-damaged', error: null });
    }
    const engine = setup.loadEngine(recording.header.options).catch((error: unknown) => {
      log.error('Recovered audio is kept without speech detection', error);
      return null;
    });
    try {
      const chunks = queue.cache
        .list()
        .filter((chunk) => chunk.sessionId === recording.header.sessionId);
      const rest = restOf(
        recording,
        chunks.flatMap(({ ranges }) => ranges ?? []),
      );
      return await recoverSession({ ...recording, ...rest }, { ...setup, engine });
    } finally {
      await (await engine)?.dispose();
    }
  }

  return {
    recover(sessionId, settle) {
      if (settle) owed.set(sessionId, settle);
      return recover(sessionId, (id) => locks.take(id, DEAD_WORKER_WAIT_MS));
    },
    async ended(sessionId) {
      await underWay.get(sessionId)?.catch(() => {});
    },
    underWay: () => [...underWay].map(([id, ended]) => [id, ended.catch(() => {})] as const),
    async recoverOrphans() {
      unstored.look();
      const sessionIds = (await journal.list()).map(({ sessionId }) => sessionId);
      // Another tab may have brought it into the queue, or thrown it away.
      for (const { sessionId } of kept.list()) {
        if (!sessionIds.includes(sessionId)) kept.forget(sessionId);
      }
      for (const sessionId of sessionIds) {
        if (kept.has(sessionId)) continue;
        // What it lacks is in the queue.
        if (setup.unread.has(sessionId) && !queue.cache.isRead) continue;
        if (!(await locks.isOrphan(sessionId))) continue;
        // One that fails now is tried at the next look, and does not keep the others waiting.
        await recover(sessionId, locks.takeOrphan).catch((error: unknown) => {
          log.error('An earlier recording could not be recovered', error, sessionId);
        });
      }
    },
  };
}
