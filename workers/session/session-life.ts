import { type Clock, sleep } from '../../src/core/clock.ts';
import type { SessionOptions } from '../../src/core/dictation-options.ts';
import { type ErrorInfo, toErrorInfo } from '../../src/core/errors.ts';
import { JOURNAL_SCHEMA_VERSION } from '../../src/core/journal.ts';
import type { Logger } from '../../src/core/logger.ts';
import { checkSessionOptions } from '../../src/core/session-option-check.ts';
import type { SessionState, Snapshot } from '../../src/core/snapshot.ts';
import type { SnapshotEvent } from '../../src/core/snapshot-events.ts';
import { withDeadline } from '../../src/core/with-deadline.ts';
import type { SessionHandover, SessionResult } from '../../src/core/worker-api.ts';
import type { ReleaseLock } from '../storage/held-lock.ts';
import type { WorkerParts } from '../worker-parts.ts';
import { readPast } from './read-past.ts';
import { createSession, NO_PAST, type Session, type SessionPorts } from './session.ts';
import { noticeOfStart } from './start-notice.ts';

export type SessionLifePorts = {
  readonly parts: () => WorkerParts;
  readonly clock: Clock;
  readonly log: Logger;
  readonly dispatch: (event: SnapshotEvent) => void;
  readonly snapshot: () => Snapshot;
};

/** The one session that this worker leads: how it comes, and how it goes. */
export type SessionLife = {
  /** The session of that id, if it is the running one. */
  running(sessionId: string): Session | null;
  /** The id of the running session. */
  readonly runningId: string | null;
  begin(sessionId: string, options: SessionOptions): Promise<ErrorInfo | null>;
  connect(sessionId: string, framePort: MessagePort): Promise<void>;
  adopt(handover: SessionHandover, framePort: MessagePort): Promise<ErrorInfo | null>;
  abandon(sessionId: string, error: ErrorInfo): Promise<void>;
  /** Null if it is not the running one. */
  finish(sessionId: string): Promise<SessionResult | null>;
  release(sessionId: string, isDelivered: boolean): Promise<void>;
};

/** A lock that the browser does not give by then does not keep frames from the journal. */
const LOCK_WAIT_MS = 1_000;

/**
 * A hung worker dies 2 s after it has been told to (Chromium), later if its machine is busy; only then
 * does it let go of its lock. The worklet keeps what comes meanwhile for 60 s.
 */
const DEAD_WORKER_WAIT_MS = 30_000;

/** As long as that, too: a judge that takes longer to load is gone on without. */
const ENGINE_WAIT_MS = 15_000;

const ONE_AT_A_TIME: ErrorInfo = {
  code: 'wrong-phase',
  message: 'A session is running already',
};

/** Makes the life of sessions; one at a time. */
export function createSessionLife(ports: SessionLifePorts): SessionLife {
  const { clock, log, dispatch } = ports;
  let session: Session | null = null;
  /** When the session began, ms since 1970. */
  let startedAtMs = 0;
  /** Set while a session is on its way here. */
  let adoptingId: string | null = null;
  let releaseLock: ReleaseLock | undefined;
  /** Fulfilled when other tabs can see that the session is alive. */
  let locked: Promise<void> = Promise.resolve();

  function running(sessionId: string): Session | null {
    return session?.id === sessionId ? session : null;
  }

  function create(given: Pick<SessionPorts, 'id' | 'options' | 'past' | 'engine'>): Session {
    const { engines, encoder, queue, journal, book } = ports.parts();
    const onEngineFailed = engines.giveUp;
    const parts = { encoder, queue, journal, book, onEngineFailed };
    return createSession({ ...ports, ...parts, startedAtMs, ...given });
  }

  function close(): void {
    const { disk, tellLedger, queue } = ports.parts();
    session?.dispose();
    session = null;
    releaseLock?.();
    releaseLock = undefined;
    disk.stop();
    tellLedger();
    queue.sessionClosed();
    dispatch({ kind: 'session-released' });
  }

  function openJournal(sessionId: string, options: SessionOptions): Promise<void> {
    const schemaVersion = JOURNAL_SCHEMA_VERSION;
    const header = { sessionId, startedAtMs, options, target: null, schemaVersion };
    // Storage that fails is told by the journal itself and stops nobody from speaking.
    return ports
      .parts()
      .journal.begin(header)
      .catch(() => {});
  }

  async function chooseAudioType(): Promise<ErrorInfo | null> {
    try {
      await ports.parts().encoder.chooseType();
      return null;
    } catch (error) {
      return toErrorInfo(error, 'audio-type-missing');
    }
  }

  async function begin(id: string, given: SessionOptions): Promise<ErrorInfo | null> {
    if (running(id)) return null;
    if (session || adoptingId) return ONE_AT_A_TIME;
    const { locks, disk, engines } = ports.parts();
    const options = checkSessionOptions(given, log);
    startedAtMs = clock.nowMs();
    session = create({ id, options, past: NO_PAST, engine: engines.get(options) });
    dispatch({ kind: 'session-began', id });
    // The lock first: a journal without one is an orphan to other tabs.
    locked = locks.take(id).then((release) => {
      if (!running(id)) return release?.();
      releaseLock = release;
      void openJournal(id, options);
    });
    disk.start();
    return chooseAudioType();
  }

  async function adopt(
    handover: SessionHandover,
    framePort: MessagePort,
  ): Promise<ErrorInfo | null> {
    if (session || adoptingId) return ONE_AT_A_TIME;
    const id = handover.sessionId;
    adoptingId = id;
    // At once, so that the page sees no moment without a session.
    const { session: seen, notices } = handover;
    dispatch({ kind: 'session-adopted', session: takenOver(seen), notices });
    try {
      releaseLock = await ports.parts().locks.take(id, DEAD_WORKER_WAIT_MS);
      if (!releaseLock) throw new Error('Somebody else has the session, and keeps it');
      await goOn(handover, framePort);
      return null;
    } catch (error) {
      log.error('A recording could not be gone on with', error);
      framePort.close();
      close();
      return toErrorInfo(error, 'storage-failed');
    } finally {
      adoptingId = null;
    }
  }

  function tellUnreadable(notes: readonly string[]): void {
    for (const note of notes) log.warn('Part of a recording could not be read', note);
    if (notes.length === 0) return;
    dispatch({ kind: 'notice-raised', notice: 'audio-damaged', error: null });
  }

  async function goOn(handover: SessionHandover, framePort: MessagePort): Promise<void> {
    const { sessionId: id, notices } = handover;
    const { journal, queue, book, engines, disk } = ports.parts();
    const options = checkSessionOptions(handover.options, log);
    const engine = engines.get(options);
    const {
      past,
      written,
      notes,
      startedAtMs: began,
      ...known
    } = await readPast(id, { journal, queue, book });
    startedAtMs = began || clock.nowMs();
    tellUnreadable(notes);
    dispatch({
      kind: 'session-adopted',
      session: { ...takenOver(handover.session), ...known },
      notices,
    });
    const adopted = create({
      id,
      options,
      past,
      engine: withDeadline(clock, ENGINE_WAIT_MS, engine, () => new Error('Too late')).catch(
        () => null,
      ),
    });
    session = adopted;
    // It may have died before its header was written.
    void openJournal(id, options);
    disk.start();
    await adopted.replay(written.parts);
    await chooseAudioType();
    adopted.connect(framePort, written.endSample);
    ports.parts().tellLedger();
  }

  return {
    running,
    get runningId() {
      return session?.id ?? adoptingId;
    },
    begin,
    async connect(id, framePort) {
      // A journal without a lock would be taken for an orphan's; until then the port keeps the frames.
      await Promise.race([locked, sleep(clock, LOCK_WAIT_MS)]);
      running(id)?.connect(framePort);
    },
    adopt,
    async abandon(id, error) {
      if (!running(id)) return;
      close();
      dispatch({ kind: 'notice-raised', notice: noticeOfStart(error), error });
      await ports
        .parts()
        .journal.remove(id)
        .catch(() => {});
    },
    async finish(id) {
      const result = (await running(id)?.finish()) ?? null;
      // What could not be encoded is offered at once, and its journal stays.
      const unqueued = running(id)?.sent?.unqueued;
      if (unqueued) ports.parts().kept.note({ sessionId: id, startedAtMs, ...unqueued });
      return result;
    },
    async release(id, isDelivered) {
      const { queue, journal, kept } = ports.parts();
      if (isDelivered) await queue.handedOver(id);
      if (!running(id)) return;
      // Else all that was said is in the queue's store, or in the user's hands.
      const isJournalNeeded =
        kept.has(id) || (!session?.sent?.isAllKept && !(isDelivered && !queue.holds(id)));
      close();
      if (!isJournalNeeded) await journal.remove(id).catch(() => {});
    },
  };
}

function takenOver(session: SessionState): SessionState {
  return { ...session, takeovers: session.takeovers + 1 };
}
