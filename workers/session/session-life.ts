import { createDeferred, sleep } from '../../src/core/async.ts';
import type {
  DeliveredChunks,
  DictationTakeover,
  DictationText,
} from '../../src/core/contracts/worker-api.ts';
import { type ErrorInfo, toErrorInfo } from '../../src/core/errors.ts';
import { checkSessionOptions } from '../../src/core/options/check-options.ts';
import type { SessionOptions } from '../../src/core/options/dictation-options.ts';
import type { MicrophoneDevice, NoticeKind } from '../../src/core/session/snapshot.ts';
import { DEAD_WORKER_WAIT_MS, type ReleaseLock } from '../../src/platform/locks.ts';
import { NO_RECORDER } from '../recordings/recorder.ts';
import {
  chooseAudioType,
  createSessionOf,
  NO_PAST,
  NOT_SENT,
  openJournal,
  type Session,
  type SessionSetup,
} from './session.ts';
import { countTakeover, takeOverSession } from './take-over-session.ts';

/** A lock that the browser does not give by then does not keep frames from the journal. */
const LOCK_WAIT_MS = 1_000;

/** The longest that a close waits for storage. */
const CLOSE_WAIT_MS = 500;

/**
 * The one session that this worker has: how it comes, and how it goes.
 */
export function createSessionLife(ports: SessionSetup) {
  const { clock, log, dispatch } = ports;
  let session: Session | null = null;
  /** When the session began, ms since 1970. */
  let startedAtMs = 0;
  /** Set while a session is on its way here. */
  let takingOverId: string | null = null;
  /** Fulfilled when it is here, or will not be. */
  let takenOver = createDeferred();
  let releaseLock: ReleaseLock | undefined;
  /** Fulfilled when other tabs can see that the session is alive. */
  let locked: Promise<void> = Promise.resolve();

  function running(dictationId: string): Session | null {
    return session?.id === dictationId ? session : null;
  }

  /**
   * Storage that is slow keeps no field waiting: what it has been asked for comes to pass, or is
   * tried again.
   */
  const inTime = <T>(work: Promise<T>): Promise<T | undefined> =>
    Promise.race([work, sleep(clock, CLOSE_WAIT_MS).then(() => undefined)]);

  /** The lock goes to whoever settles the journal. */
  function end(takeLock: (release: ReleaseLock) => void = (release) => void release()): void {
    const { disk, publishLedger, queue } = ports.parts;
    session?.dispose();
    session = null;
    takeLock(releaseLock ?? (() => {}));
    releaseLock = undefined;
    disk.stop();
    publishLedger();
    queue.sessionClosed();
    dispatch({ kind: 'session-released' });
  }

  /**
   * Ends a session that its page no longer asks for, since a page has only one at a time. Its
   * journal is recovered as after a crash.
   */
  function letGo(): void {
    takingOverId = null;
    session?.stopWaiting();
    if (session) void close(session.id, null);
  }

  async function begin(id: string, given: SessionOptions): Promise<ErrorInfo | null> {
    if (running(id)) return null;
    letGo();
    const { locks, disk, engines, recordings, spoken } = ports.parts;
    const options = spoken(checkSessionOptions(given, log));
    startedAtMs = clock.nowMs();
    session = createSessionOf(ports, {
      id,
      options,
      startedAtMs,
      past: NO_PAST,
      recorder: recordings.begin({ id, startedAtMs, options }),
      engine: engines.get(options),
    });
    dispatch({ kind: 'session-began', id, isLive: session.showsWords });
    // The lock first: a journal without one is an orphan to other tabs.
    locked = locks.take(id).then((release) => {
      if (!running(id)) return release?.();
      releaseLock = release;
      void openJournal(ports, id, startedAtMs, options);
    });
    disk.start();
    return null;
  }

  async function takeOver(
    takeover: DictationTakeover,
    framePort: MessagePort,
  ): Promise<ErrorInfo | null> {
    const id = takeover.dictationId;
    if (takingOverId === id) await takenOver.promise;
    if (session?.id === id) {
      session.reconnect(framePort);
      return null;
    }
    letGo();
    const isWanted = (): boolean => takingOverId === id;
    const arrived = createDeferred();
    takenOver = arrived;
    takingOverId = id;
    // At once, so that the page sees no moment without a session.
    const { session: seen, notices, delivered } = takeover;
    const shown = countTakeover(seen, delivered);
    dispatch({ kind: 'session-taken-over', session: shown, notices });
    let release: ReleaseLock | undefined;
    try {
      release = await ports.parts.locks.take(id, DEAD_WORKER_WAIT_MS);
      if (!release) throw new Error('Somebody else has the session, and keeps it');
      const there = await takeOverSession(takeover, framePort, { ...ports, isWanted });
      releaseLock = release;
      ({ session, startedAtMs } = there);
      return null;
    } catch (error) {
      log.error('A recording could not be gone on with', error);
      framePort.close();
      if (isWanted()) {
        releaseLock = release;
        end();
      } else {
        const { queue } = ports.parts;
        queue.stopWaiting(id);
        queue.disown(id);
        await release?.();
        queue.sessionClosed();
      }
      return toErrorInfo(error, 'storage-failed');
    } finally {
      if (isWanted()) takingOverId = null;
      arrived.resolve();
    }
  }

  async function close(id: string, delivered: DeliveredChunks | null): Promise<boolean> {
    const { queue, journal, entries, lettingGo } = ports.parts;
    const mark = ({ verdict, chunks }: DeliveredChunks, isOver: boolean): Promise<boolean> =>
      queue.markDelivered(id, verdict, chunks, isOver ? 'ended' : 'running');
    if (takingOverId === id) await takenOver.promise;
    if (!running(id)) return false;
    const { isUnread, unencodable } = entries.of(id);
    const sent = running(id)?.sent ?? NOT_SENT;
    const isCutLeft = sent === NOT_SENT || isUnread;
    const isOver = !isCutLeft && !unencodable;
    const isGone = delivered !== null && (await inTime(mark(delivered, isOver))) === true;
    if (!session || !running(id)) return true;
    if (isCutLeft) queue.disown(id);
    const { recorder, allHanded } = session;
    const settle = async (): Promise<void> => {
      if (!isOver) {
        await recorder.stop();
        await allHanded();
        // A full disk may not have taken its end yet: cut anew by then, it would be lost.
        await journal.flush(id);
        return;
      }
      await recorder.end();
      // All that was said is in the queue, or in the user's hands.
      if (!isGone || recorder !== NO_RECORDER) await journal.remove(id);
    };
    let settled = Promise.resolve();
    end((letLockGo) => {
      settled = lettingGo.hold(id, letLockGo, settle);
    });
    await inTime(settled);
    return true;
  }

  return {
    /** The session of that id, if it is the running one. */
    running,
    /** The id of the running session. */
    get runningId(): string | null {
      return session?.id ?? takingOverId;
    },
    begin,
    async connect(id: string, framePort: MessagePort): Promise<void> {
      // A journal without a lock would be taken for an orphan's; until then the port keeps the
      // frames.
      await Promise.race([locked, sleep(clock, LOCK_WAIT_MS)]);
      running(id)?.connect(framePort);
    },
    async opened(id: string, device: MicrophoneDevice): Promise<ErrorInfo | null> {
      // Not before: finding out keeps a core busy that the microphone's opening needs.
      const refusal = await chooseAudioType(ports);
      // Only now: who is told that it records may speak, and what cannot be encoded here is
      // deleted.
      if (!refusal) running(id)?.opened(device);
      return refusal;
    },
    takeOver,
    async abandon(id: string, error: ErrorInfo): Promise<void> {
      const isBegun = running(id) !== null;
      void running(id)?.recorder.stop();
      if (isBegun) end();
      dispatch({ kind: 'notice-raised', notice: noticeOfStart(error), error });
      if (isBegun) await ports.parts.journal.remove(id).catch(() => {});
    },
    /** Null if it is not the running one. */
    async finish(id: string): Promise<DictationText | null> {
      const result = (await running(id)?.finish()) ?? null;
      // Speech that could not be encoded is offered at once, and its journal stays.
      const unqueued = running(id)?.sent?.unqueued;
      if (unqueued) {
        ports.parts.lettingGo.noteUnencodable({ dictationId: id, startedAtMs, ...unqueued });
      }
      return result;
    },
    /**
     * Chunks of the running session are in the user's hands: told of one on its way here, when it
     * is.
     */
    async markDelivered(id: string, { verdict, chunks }: DeliveredChunks): Promise<void> {
      if (takingOverId === id) await takenOver.promise;
      running(id)?.delivered({ verdict, chunks });
      await ports.parts.queue.markDelivered(id, verdict, chunks);
    },
    /** False, and nothing done, if it is not running here, nor on its way. */
    close,
  };
}

/** The notice for a recording that could not begin. */
function noticeOfStart({ code }: ErrorInfo): NoticeKind {
  switch (code) {
    case 'microphone-missing':
    case 'microphone-denied':
    case 'microphone-framed':
    case 'microphone-busy':
    case 'insecure-page':
    case 'webassembly-missing':
    case 'tab-sound-refused':
    case 'audio-type-missing':
    case 'audio-context-closed':
      return code;
    case 'wrong-phase':
      return 'already-recording';
    case 'storage-failed':
    case 'worker-crashed':
      return code;
    case 'audio-graph-failed':
    case 'asset-unreachable':
    case 'asset-wrong':
      return 'audio-graph-failed';
    default:
      return 'microphone-failed';
  }
}
