import type { JournalRecording } from '../../src/core/session/journal.ts';
import type { SnapshotEvent } from '../../src/core/session/snapshot-events.ts';
import type { EngineChoice, SpeechEngine } from '../../src/core/speech/speech-engine.ts';
import type { ReleaseLock } from '../storage/held-lock.ts';
import { DEAD_WORKER_WAIT_MS, type SessionLocks } from '../storage/session-lock.ts';
import type { KeptRecordings } from './kept-recordings.ts';
import { type RecoveryPorts, recoverSession } from './recover-session.ts';

export type RecoverySetup = Omit<RecoveryPorts, 'engine'> & {
  readonly locks: SessionLocks;
  readonly kept: KeptRecordings;
  readonly unread: Set<string>;
  readonly dispatch: (event: SnapshotEvent) => void;
  /** An engine of its own: a live session's must not hear another's audio. */
  readonly loadEngine: (choice: EngineChoice) => Promise<SpeechEngine>;
};

type TakeLock = (sessionId: string) => Promise<ReleaseLock | undefined>;

/** How much of a session is in the queue: all, all but what could not be encoded, or what somebody else knows. */
export type Recovered = 'whole' | 'in-part' | 'kept-by-another';

/** Brings sessions whose tab or worker died into the queue. */
export type Recovery = {
  /** All orphans of this origin, one after the other. */
  recoverOrphans(): Promise<void>;
  /**
   * One session, waited for until its dead owner lets it go; fulfilled when its chunks wait in the queue.
   */
  recover(sessionId: string): Promise<Recovered>;
};

export function createRecovery(setup: RecoverySetup): Recovery {
  const { journal, locks, log, kept, queue, dispatch } = setup;
  const underWay = new Map<string, Promise<Recovered>>();
  /** Recovered as far as can be: what they still have in the journal is known here. */
  const known = new Set<string>();

  function recover(sessionId: string, takeLock: TakeLock): Promise<Recovered> {
    const running = underWay.get(sessionId);
    if (running) return running;
    const recovering = recoverLocked(sessionId, takeLock).finally(() => underWay.delete(sessionId));
    underWay.set(sessionId, recovering);
    return recovering;
  }

  async function recoverLocked(sessionId: string, takeLock: TakeLock): Promise<Recovered> {
    const release = await takeLock(sessionId);
    if (!release) return 'kept-by-another';
    try {
      const recording = await journal.read(sessionId, 'cut');
      setup.unread.delete(sessionId);
      return recording ? await recoverRecording(sessionId, recording) : 'whole';
    } finally {
      release();
      queue.sessionClosed();
    }
  }

  async function recoverRecording(
    sessionId: string,
    recording: JournalRecording,
  ): Promise<Recovered> {
    // Judged as it would have been.
    const engine = setup.loadEngine(recording.header.options).catch((error: unknown) => {
      log.error('Recovered audio is kept unjudged', error);
      return null;
    });
    try {
      if (recording.notes.length > 0) {
        dispatch({ kind: 'notice-raised', notice: 'audio-damaged', error: null });
      }
      const { isAllKept, unqueued } = await recoverSession(recording, { ...setup, engine });
      if (isAllKept) await journal.remove(sessionId);
      else known.add(sessionId);
      if (unqueued) {
        const { startedAtMs } = recording.header;
        kept.note({ sessionId, startedAtMs: startedAtMs || setup.clock.nowMs(), ...unqueued });
      } else kept.forget(sessionId);
      // Not before: half a session, sent and answered, would look like a whole one.
      queue.adopt(sessionId);
      return unqueued ? 'in-part' : 'whole';
    } finally {
      // Whatever failed, and however often it is tried again: a model's memory is not small.
      await (await engine)?.dispose();
    }
  }

  return {
    recover: (sessionId) => recover(sessionId, (id) => locks.take(id, DEAD_WORKER_WAIT_MS)),
    async recoverOrphans() {
      const sessionIds = (await journal.list()).map(({ sessionId }) => sessionId);
      // Another tab may have brought it into the queue, or thrown it away.
      for (const { sessionId } of kept.list()) {
        if (!sessionIds.includes(sessionId)) kept.forget(sessionId);
      }
      for (const sessionId of sessionIds) {
        if (known.has(sessionId) || kept.has(sessionId)) continue;
        // What it lacks is in the queue.
        if (setup.unread.has(sessionId) && !queue.ledger.isRead) continue;
        if (await locks.isOrphan(sessionId)) await recover(sessionId, locks.takeOrphan);
      }
    },
  };
}
