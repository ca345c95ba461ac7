import { assertNever } from '../src/core/assert-never.ts';
import type { AudioEncoderPort } from '../src/core/audio-types.ts';
import { type Clock, sleep } from '../src/core/clock.ts';
import type { SessionOptions } from '../src/core/dictation-options.ts';
import { DikteraError, type ErrorInfo, toErrorInfo } from '../src/core/errors.ts';
import { JOURNAL_SCHEMA_VERSION, type Journal } from '../src/core/journal.ts';
import type { Logger } from '../src/core/logger.ts';
import { checkSessionOptions } from '../src/core/session-option-check.ts';
import type { SnapshotEvent } from '../src/core/snapshot-events.ts';
import type {
  AudioFile,
  DictationWorkerApi,
  PageEvent,
  SessionResult,
  WorkerSetup,
} from '../src/core/worker-api.ts';
import type { EngineHolder } from './engine-holder.ts';
import { createLevelMeters } from './level-meters.ts';
import type { ServerWatch } from './server-watch.ts';
import type { KeptRecordings } from './session/kept-recordings.ts';
import type { Recovery } from './session/recovery.ts';
import { createSession, type Session } from './session/session.ts';
import type { WordBook } from './session/word-book.ts';
import type { SnapshotPublisher } from './snapshot-publisher.ts';
import type { DiskWatch } from './storage/disk-watch.ts';
import type { ReleaseLock } from './storage/held-lock.ts';
import type { SessionLocks } from './storage/session-lock.ts';
import type { UploadQueue } from './upload/upload-queue-port.ts';

/** What a worker is made of, once it knows where things are. */
export type WorkerParts = {
  readonly engines: EngineHolder;
  readonly encoder: AudioEncoderPort;
  readonly journal: Journal;
  readonly locks: SessionLocks;
  readonly queue: UploadQueue;
  readonly recovery: Recovery;
  readonly server: ServerWatch;
  readonly book: WordBook;
  readonly kept: KeptRecordings;
  /** Puts the account of the words into the snapshot. */
  readonly tellLedger: () => void;
  readonly disk: DiskWatch;
  /** The audio of a session's waiting chunks as one file. */
  readonly audioOf: (sessionId: string) => Promise<AudioFile | null>;
};

export type DictationWorkerPorts = {
  readonly publisher: SnapshotPublisher;
  readonly clock: Clock;
  readonly log: Logger;
  /** Makes the parts; called once, by the first `prepare`. */
  readonly assemble: (setup: WorkerSetup) => WorkerParts;
};

/** How often sessions whose tab has died meanwhile are looked for. */
const ORPHAN_LOOK_MS = 10_000;

/** A lock that the browser does not give by then does not keep frames from the journal. */
const LOCK_WAIT_MS = 1_000;

/** One frame in so many tells the account of the words: about one a second. */
const FRAMES_PER_LEDGER = 10;

const EMPTY_RESULT: SessionResult = { transcription: '', failedChunks: 0 };

/** The dictation worker's calls: leads one session at a time through its parts. */
export function createDictationWorker(
  ports: DictationWorkerPorts,
): DictationWorkerApi<MessagePort> {
  const { publisher, clock, log } = ports;
  const meters = createLevelMeters();
  let framesUntold = 0;
  const dispatch = (event: SnapshotEvent): void => {
    publisher.dispatch(event);
    if (event.kind !== 'frame-judged') return;
    meters.tell(event);
    framesUntold += 1;
    if (framesUntold < FRAMES_PER_LEDGER) return;
    framesUntold = 0;
    parts?.tellLedger();
  };
  let parts: WorkerParts | null = null;
  let session: Session | null = null;
  /** When the session began, ms since 1970. */
  let startedAtMs = 0;
  let releaseLock: ReleaseLock | undefined;
  /** Fulfilled when other tabs can see that the session is alive. */
  let locked: Promise<void> = Promise.resolve();

  function getParts(): WorkerParts {
    if (!parts) throw new DikteraError('wrong-phase', 'Call prepare first');
    return parts;
  }

  /** The session of that id, if it is the running one. */
  function running(sessionId: string): Session | null {
    return session?.id === sessionId ? session : null;
  }

  function closeSession(): void {
    session?.dispose();
    session = null;
    releaseLock?.();
    releaseLock = undefined;
    parts?.disk.stop();
    parts?.tellLedger();
    parts?.queue.sessionClosed();
    dispatch({ kind: 'session-released' });
  }

  function createSessionOf(id: string, options: SessionOptions): Session {
    const { engines, encoder, queue, journal, book } = getParts();
    return createSession({
      id,
      options,
      startedAtMs,
      book,
      engine: engines.get(options),
      onEngineFailed: engines.giveUp,
      encoder,
      queue,
      journal,
      clock,
      log,
      dispatch,
      snapshot: () => publisher.snapshot,
    });
  }

  async function begin(id: string, given: SessionOptions): Promise<ErrorInfo | null> {
    if (session) return { code: 'wrong-phase', message: 'A session is running already' };
    const { encoder, journal, locks, disk } = getParts();
    const options = checkSessionOptions(given, log);
    startedAtMs = clock.nowMs();
    session = createSessionOf(id, options);
    dispatch({ kind: 'session-began', id });
    const header = {
      sessionId: id,
      startedAtMs,
      options,
      target: null,
      schemaVersion: JOURNAL_SCHEMA_VERSION,
    };
    // The lock first: a journal without one is an orphan to other tabs. Storage that fails is told by
    // the journal itself and stops nobody from speaking.
    locked = locks.take(id).then((release) => {
      if (!running(id)) return release?.();
      releaseLock = release;
      void journal.begin(header).catch(() => {});
    });
    disk.start();
    try {
      await encoder.chooseType();
      return null;
    } catch (error) {
      return toErrorInfo(error, 'audio-type-missing');
    }
  }

  async function abandon(id: string, error: ErrorInfo): Promise<void> {
    if (!running(id)) return;
    closeSession();
    dispatch({ kind: 'notice-raised', notice: noticeOfStart(error), error });
    await getParts()
      .journal.remove(id)
      .catch(() => {});
  }

  async function release(id: string, isDelivered: boolean): Promise<void> {
    const { queue, journal, kept } = getParts();
    if (isDelivered) await queue.handedOver(id);
    if (!running(id)) return;
    // Else all that was said is in the queue's store, or in the user's hands.
    const isJournalNeeded =
      kept.has(id) || (!session?.sent?.isAllKept && !(isDelivered && !queue.holds(id)));
    closeSession();
    if (!isJournalNeeded) await journal.remove(id).catch(() => {});
  }

  /** Deletes the journal of a session nothing of which waits any more. */
  async function forgetIfSettled(id: string): Promise<void> {
    const { queue, journal, locks, kept } = getParts();
    if (running(id) || queue.holds(id) || kept.has(id)) return;
    const release = await locks.take(id);
    if (!release) return;
    await journal.remove(id).catch(() => {});
    release();
  }

  async function wipe(): Promise<void> {
    const { queue, journal } = getParts();
    await queue.discardAll(session?.id ?? null);
    for (const { sessionId } of await journal.list()) await deleteJournal(sessionId);
  }

  /** The user throws away what the journal has of a session; nothing happens to one that is open. */
  async function deleteJournal(id: string): Promise<void> {
    const { journal, locks, kept, book, tellLedger } = getParts();
    const release = await locks.take(id);
    if (!release) return;
    await journal.remove(id).catch(() => {});
    book.journalDeleted(id);
    kept.forget(id);
    tellLedger();
    release();
  }

  async function lookForOrphans(): Promise<void> {
    const { recovery } = getParts();
    await recovery.recoverOrphans().catch((error: unknown) => {
      log.error('Earlier recordings could not be looked for', error);
    });
    clock.after(ORPHAN_LOOK_MS, () => void lookForOrphans());
  }

  /** What could not be encoded is offered at once, and its journal stays. */
  function noteKept(id: string): void {
    const unqueued = running(id)?.sent?.unqueued;
    if (unqueued) getParts().kept.note({ sessionId: id, startedAtMs, ...unqueued });
  }

  async function recover(id: string): Promise<SessionResult> {
    const { recovery, queue } = getParts();
    await recovery.recover(id);
    return queue.resultOf(id);
  }

  return {
    async prepare(setup) {
      const isFirst = parts === null;
      parts ??= ports.assemble(setup);
      const { engines, server, queue } = parts;
      server.ask();
      if (isFirst) {
        queue.start();
        void lookForOrphans();
      }
      await engines.get(setup);
    },
    async subscribe(listener) {
      publisher.subscribe(listener);
    },
    async tellLevels(port) {
      meters.add(port);
    },
    begin,
    async connect(id, framePort) {
      // A journal without a lock would be taken for an orphan's; until then the port keeps the frames.
      await Promise.race([locked, sleep(clock, LOCK_WAIT_MS)]);
      running(id)?.connect(framePort);
    },
    async opened(id, device) {
      running(id)?.opened(device);
    },
    abandon,
    async finishSpeech(id) {
      await running(id)?.finishSpeech();
    },
    async finish(id) {
      const result = (await running(id)?.finish()) ?? EMPTY_RESULT;
      noteKept(id);
      return result;
    },
    release,
    recover,
    async ping() {},
    async report(event) {
      heed(event);
    },
    async retry(itemId) {
      await getParts().queue.retry(itemId);
    },
    async discard(itemId) {
      const { queue } = getParts();
      const sessionId = queue.ledger.head(itemId)?.sessionId;
      await queue.discard(itemId);
      if (sessionId !== undefined) await forgetIfSettled(sessionId);
    },
    // The running session's text comes by the ordinary way.
    claim: async (id) => (running(id) ? null : getParts().queue.claim(id)),
    async settle(id, isInserted) {
      await getParts().queue.settle(id, isInserted);
      if (isInserted) await forgetIfSettled(id);
    },
    async retryKept(id) {
      await getParts().recovery.recover(id);
      getParts().tellLedger();
    },
    discardKept: deleteJournal,
    audio: (id) => getParts().audioOf(id),
    wipe,
  };

  function heed(event: PageEvent): void {
    switch (event.kind) {
      case 'online':
      case 'visible':
        parts?.server.ask();
        parts?.queue.wake();
        break;
      case 'microphone-switched':
        dispatch({ kind: 'device-changed', device: event.device });
        break;
      case 'notice':
        dispatch({ kind: 'notice-raised', notice: event.notice, error: event.error });
        break;
      case 'notice-dismissed':
        dispatch({ kind: 'notice-cleared', notice: event.notice });
        break;
      default:
        assertNever(event);
    }
  }
}

/** The notice for a recording that could not begin. */
function noticeOfStart({ code }: ErrorInfo) {
  switch (code) {
    case 'microphone-missing':
    case 'microphone-denied':
    case 'microphone-busy':
    case 'tab-sound-refused':
    case 'audio-type-missing':
    case 'audio-context-closed':
      return code;
    case 'audio-graph-failed':
    case 'asset-unreachable':
    case 'asset-wrong':
      return 'audio-graph-failed';
    default:
      return 'microphone-failed';
  }
}
