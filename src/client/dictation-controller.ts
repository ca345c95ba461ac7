import * as Comlink from 'comlink';
import { createDeferred } from '../core/async.ts';
import type { CancelTimer, Clock } from '../core/clock.ts';
import type { CapturePort, CaptureRequest } from '../core/contracts/capture-port.ts';
import type { Dictation, StartOptions, StartResult } from '../core/contracts/dictation.ts';
import { type ErrorInfo, toErrorInfo } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import { completeOptions, DEFAULT_SESSION_OPTIONS } from '../core/options/dictation-options.ts';
import { completeKeeping, type Keeping } from '../core/recordings/recording.ts';
import type { EngineChoice } from '../core/speech/speech-engine.ts';
import { withDeadline } from '../platform/deadline.ts';
import { openDictationIds } from '../platform/locks.ts';
import { createCaptureReports } from './capture-reports.ts';
import type { KeptPage } from './page-life.ts';
import { createRunningDictation, type RunningDictation } from './running-dictation.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import { createTextInbox, deliverNothing } from './text-inbox.ts';
import { createCrashCount, type RemoteApi, type WorkerConnection } from './worker-connection.ts';

/** The time for which recordings are kept, as the next worker is told it. */
type KeepingHolder = { keeping: Keeping };

/** Makes the commands of a dictation that the worker carries out alone. */
export function createWorkerCommands(
  connection: WorkerConnection,
  holder: KeepingHolder,
  ports: {
    /** Recordings that this page has not ended. */
    readonly openHere: () => Iterable<string>;
    /** Gives up the places kept for late texts on this page. */
    readonly letPlacesGo: () => Promise<void>;
    readonly storage: ControllerPorts['storage'];
    readonly clock: Clock;
  },
) {
  const { ask, tell } = connection;

  /** The deletions under way: else they would delete again what is had back meanwhile. */
  let deleting: Promise<unknown> = Promise.resolve();

  /**
   * Spares dictations that were open when it was asked for, or began after that, also if a slow
   * worker begins after their end.
   */
  async function askSparing(
    question: (api: RemoteApi, openIds: readonly string[], askedAtMs: number) => Promise<void>,
  ): Promise<void> {
    const askedAtMs = ports.clock.nowMs();
    const hereIds = [...ports.openHere()];
    // All includes texts that have their place on this page.
    await ports.letPlacesGo();
    const openIds = [...hereIds, ...(await openDictationIds())];
    return ask((api) => question(api, openIds, askedAtMs));
  }

  function deleteSparing(...question: Parameters<typeof askSparing>): Promise<void> {
    const own = askSparing(...question);
    deleting = Promise.allSettled([deleting, own]);
    return own;
  }

  return {
    levels(framesPerReading = 1) {
      const { port1, port2 } = new MessageChannel();
      tell((api) => api.tellLevels(Comlink.transfer(port1, [port1]), framesPerReading));
      return port2;
    },
    retry: (itemId) => tell((api) => api.retry(itemId)),
    discard: (itemId) => tell((api) => api.discard(itemId)),
    retryKept: (dictationId) => ask((api) => api.retryKept(dictationId)),
    discardKept: (dictationId) => tell((api) => api.discardKept(dictationId)),
    audio: (dictationId) => ask((api) => api.audio(dictationId)),
    wipe: () => deleteSparing((api, ...asked) => api.wipe(...asked)),
    recordings: {
      transcripts: (id) => ask((api) => api.transcripts(id)),
      audio: (id) => ask((api) => api.recordingAudio(id)),
      transcribeAgain: (id, options = {}) => ask((api) => api.transcribeAgain(id, options)),
      applyRules: (id) => ask((api) => api.applyRules(id)),
      delete: (id) => ask((api) => api.deleteRecording(id)),
      deleteAll: () => deleteSparing((api, ...asked) => api.deleteRecordings(...asked)),
      async undoDelete(id) {
        await deleting;
        return ask((api) => api.undoDelete(id));
      },
      keep(given) {
        holder.keeping = completeKeeping(given, holder.keeping);
        if (connection.hasWorker()) tell((api) => api.keep(holder.keeping));
      },
      // Asked for on a first visit, where no worker is needed yet.
      storage: async () => (await import('./storage-keeper.ts')).readStorageFacts(ports.storage),
    },
    dismissNotice: (notice) => tell((api) => api.report({ kind: 'notice-dismissed', notice })),
  } satisfies Partial<Dictation>;
}

type ControllerPorts = {
  readonly connection: WorkerConnection;
  readonly capture: CapturePort<MessagePort>;
  readonly store: SnapshotStore;
  readonly clock: Clock;
  readonly log: Logger;
  /** The engine of a recording that names none. @default the defaults of `SessionOptions` */
  readonly engine?: EngineChoice;
  /** The time for which recordings are kept. */
  readonly holder: KeepingHolder;
  /** Undefined on a page that is not served over https. */
  readonly storage: Pick<StorageManager, 'persisted' | 'estimate'> | undefined;
  /** A new session's id: unique for ever. */
  readonly newId: () => string;
  /** The languages that are probably spoken here, the likeliest first. @default none */
  readonly pageLanguages?: () => readonly string[];
  /** Called when recording begins. */
  readonly onRecording?: () => void;
};

/**
 * Drawing goes first, and a press that comes at once: a new worker would only be in the
 * microphone's way then.
 */
const PREPARE_AFTER_MS = 50;

/**
 * A worker that is not free by then answers that it is not, and the start is refused: the words
 * since the press are lost. The limit is therefore longer than two workers take that do not answer
 * for 30 s, one after the other, and the end of the recording before with them.
 */
const FREE_WAIT_MS = 120_000;

/** For so long a cancelled dictation can be had back with one press. */
const UNDO_CANCEL_MS = 10_000;

/** A cancelled dictation that is not over by then is thrown away as far as it is known. */
const THROWN_WITHIN_MS = 5_000;

/** A recording that has not begun by then, with its microphone open, is said to be late. */
const BEGIN_WAIT_MS = 4_000;

/** Leads microphone and worker through a session: the commands behind `Dictation`. */
export function createDictationController(ports: ControllerPorts): Omit<Dictation, 'setOptions'> &
  KeptPage & {
    /**
     * Runs `change` while nothing is recorded and no text is on its way, and has another worker in
     * place of the one there is. False, and nothing is done, at any other time.
     */
    renew(change: () => void): boolean;
  } {
  const { connection, capture, store, log } = ports;
  /** The session asked for last; it may wait for the one before. */
  let session: RunningDictation | null = null;
  /** The session that the worker has. */
  let inWorker: RunningDictation | null = null;
  /** Sessions whose text may still go into its own place. */
  const underWay = new Set<string>();
  /** The dictation that was cancelled last, while that can be undone. */
  let cancelled: {
    readonly left: RunningDictation;
    readonly decide: (isWanted: boolean) => void;
    readonly cancelTimer: CancelTimer;
  } | null = null;
  let isDisposed = false;
  /** Nobody waits any longer then for all of a text. */
  const disposed = createDeferred<null>();
  let cancelPreparing: CancelTimer = () => {};
  /** Since a recording was last asked for: what came before is no reason to give up that one. */
  let countCrash = createCrashCount(ports.clock);
  const reports = createCaptureReports({ connection, log });
  const inbox = createTextInbox({ ...ports, reports });
  // Out of the list nobody takes what may still go into its own place.
  const takeText: Dictation['takeText'] = async (dictationId, insert) =>
    underWay.has(dictationId) ? false : ((await inbox.take(dictationId, insert)) ?? false);
  const commands = createWorkerCommands(connection, ports.holder, {
    ...ports,
    openHere: () => underWay,
    letPlacesGo: inbox.letPlacesGo,
  });

  const start = async (options: StartOptions = {}): Promise<StartResult> => {
    if (isDisposed) {
      log.error('Recording was asked for, but the dictation has been disposed of');
      // There is no worker to send the notice.
      store.dispatch({ kind: 'notice-raised', notice: 'disposed', error: null });
      return { ok: false, reason: 'disposed' };
    }
    if (session && !session.isEnding()) {
      log.error('Recording was asked for, but a recording is under way');
      reports.raise('already-recording');
      return { ok: false, reason: 'already-recording' };
    }
    const { deliver, deliverPiece, deviceId = null, tabSound = false, stream, ...others } = options;
    const { id = ports.newId(), ...given } = others;
    const former = session;
    const thrownBefore = cancelled;
    countCrash = createCrashCount(ports.clock);
    const complete = completeOptions(given, {
      ...DEFAULT_SESSION_OPTIONS,
      ...(ports.engine && { engine: ports.engine.engine }),
      likelyLanguages: ports.pageLanguages?.(),
    });
    const isInsertedLive = complete.live !== false && complete.insert === 'at-pause';
    const created: RunningDictation = createRunningDictation({
      ...ports,
      id,
      options: complete,
      deliver,
      deliverPiece: isInsertedLive ? deliverPiece : undefined,
      inbox,
      reports,
      onOver() {
        forget(created);
        store.forget(id);
      },
    });
    created.opened = silenced(former).then(() =>
      open(created, { deviceId, tabSound, stream }, former),
    );
    // With a new recording under way, the undo of the last cancelled one ends.
    void created.opened.then(({ ok }) => {
      if (ok && cancelled === thrownBefore) void throwAwayCancelled();
    });
    session = created;
    underWay.add(id);
    if (!former) inWorker = created;
    void created.until('free').then(() => {
      if (inWorker === created) inWorker = null;
    });
    // Seen at once: the microphone, and a worker that has only just been started, may keep the
    // thread busy.
    store.expect(id);
    return created.opened;
  };

  const cancel = (): void => {
    if (!session || session.isEnding()) return;
    // The last one alone can be had back.
    void throwAwayCancelled();
    const left = session;
    const decide = left.cancel();
    const cancelTimer = ports.clock.after(UNDO_CANCEL_MS, () => void throwAwayCancelled());
    cancelled = { left, decide, cancelTimer };
    store.cancel(left.id);
  };

  const decideCancelled = (isWanted: boolean): RunningDictation | null => {
    if (!cancelled) return null;
    const { left, decide, cancelTimer } = cancelled;
    cancelled = null;
    cancelTimer();
    decide(isWanted);
    store.uncancel(isWanted);
    return left;
  };

  /** Its recording goes to the bin; where none is retained, what waits of it goes for good. */
  const throwAwayCancelled = async (): Promise<void> => {
    const left = decideCancelled(false);
    if (!left) return;
    // A text that came after the deletion would bring it back.
    left.hurry();
    await withDeadline(ports.clock, left.until('free'), THROWN_WITHIN_MS, () => {});
    if (isDisposed) return;
    // Storage that fails has it in the list.
    await commands.recordings.delete(left.id).catch(() => {});
    const { queue, kept } = store.getSnapshot();
    for (const { id, dictationId } of queue.items)
      if (dictationId === left.id) commands.discard(id);
    if (kept.some(({ dictationId }) => dictationId === left.id)) commands.discardKept(left.id);
  };

  /** The recording before waits for nothing more: what is not text yet comes late to its place. */
  const silenced = async (former: RunningDictation | null): Promise<void> => {
    former?.hurry();
    await former?.until('quiet');
  };

  const freed = async (former: RunningDictation, next: RunningDictation): Promise<void> => {
    await withDeadline(ports.clock, former.until('free'), FREE_WAIT_MS, () => {});
    // Also where a third has been asked for meanwhile: this one is still the worker's next.
    if (isDisposed || !underWay.has(next.id)) return;
    inWorker = next;
    // The worker's crash may have been shown meanwhile.
    if (session === next) store.expect(next.id);
  };

  const open = async (
    opening: RunningDictation,
    request: Pick<CaptureRequest<MessagePort>, 'deviceId' | 'tabSound' | 'stream'>,
    former: RunningDictation | null,
  ): Promise<StartResult> => {
    const opened = opening.open({
      capture,
      request: {
        ...request,
        onLost(error) {
          reports.lost(error);
          void opening.end(false);
        },
        onChange: reports.changed,
      },
      free: former && freed(former, opening),
      onOpen() {
        ports.onRecording?.();
        const cancel = ports.clock.after(BEGIN_WAIT_MS, () => tellDelayed(opening));
        void opening.opened.finally(cancel);
      },
    });
    const refusal = await opened.catch((thrown) => toErrorInfo(thrown, 'audio-graph-failed'));
    if (!refusal) return { ok: true };
    forget(opening);
    if (!isLoggedWhereFound(refusal)) log.error(refusal.message, refusal.code);
    await opening.fail(refusal);
    store.forget(opening.id);
    store.tellLate(opening.id);
    return { ok: false, reason: isDisposed ? 'disposed' : refusal.code };
  };

  const tellDelayed = ({ id }: RunningDictation): void => {
    log.warn('The microphone is open, and the recording has not begun');
    if (!store.delay(id)) reports.raise('start-delayed');
  };

  const forget = (over: RunningDictation): void => {
    if (session === over) session = null;
    if (inWorker === over) inWorker = null;
    underWay.delete(over.id);
    over.over();
  };

  /** The page will not bring it to its end: its place in the field is given up. */
  const abandon = (left: RunningDictation): void => {
    left.letGo();
    forget(left);
    store.tellLate(left.id);
    if (left.deliver && !inbox.isOnItsWay(left.id)) void deliverNothing(left.deliver);
  };

  connection.onCrash((error, next) => {
    log.error(error.message, error);
    const what = countCrash();
    // A dictation that is written is recovered: its pending call notices by itself.
    if (!inWorker || inWorker.isAt('written')) return false;
    if (what === 'give-up') inWorker.worker.giveUp(error);
    else inWorker.worker.moveTo(next, inWorker.takeover());
    if (what !== 'go-on') void inWorker.end(false);
    if (what === 'end') reports.raise('worker-crashed', toErrorInfo(error, 'worker-crashed'));
    return what !== 'give-up';
  });

  store.subscribe(() => {
    if (!session || session.isEnding()) return;
    const snapshot = store.getSnapshot();
    // Before the worker has begun it, what is said is of the session before.
    if (snapshot.session.id !== session.id) return;
    if (snapshot.session.endCause === null) return;
    void session.end(true);
  });

  const endWorker = (): void => {
    connection.dispose();
    // Nothing is recorded any more; the rest of the snapshot stays, until the next worker tells.
    store.dispatch({ kind: 'session-released' });
  };
  const leave = (): void => {
    cancelPreparing();
    decideCancelled(false);
    for (const left of new Set([session, inWorker])) if (left) abandon(left);
    inbox.leave();
    endWorker();
  };
  const comeBack = (): void => {
    connection.revive();
    inbox.comeBack();
  };

  return {
    prepare() {
      void capture.preload();
      cancelPreparing();
      cancelPreparing = ports.clock.after(PREPARE_AFTER_MS, () => {
        if (!session) connection.warm();
      });
    },
    start,
    pause: () => session?.pause(),
    resume: () => session?.resume(),
    async stop({ wait = 'text' } = {}) {
      if (!session || session.isCancelled()) return null;
      if (wait === 'text') return session.end(true);
      return Promise.race([session.endWhole(), disposed.promise]);
    },
    cancel,
    undoCancel() {
      decideCancelled(true);
    },
    stopWaiting() {
      if (session?.isEnding()) void session.stopWaiting();
    },
    getSnapshot: store.getSnapshot,
    subscribe: store.subscribe,
    ...commands,
    dismissNotice(notice) {
      if (notice === 'start-delayed') store.delay(null);
      commands.dismissNotice(notice);
    },
    takeText,
    async holdPlace(dictationId) {
      const place = inbox.holdPlace(dictationId);
      await place.held;
      return () => void place.release();
    },
    leave,
    comeBack,
    renew(change) {
      if (isDisposed || session || inWorker) return false;
      change();
      if (!connection.hasWorker()) return true;
      leave();
      comeBack();
      connection.worker();
      return true;
    },
    dispose() {
      isDisposed = true;
      disposed.resolve(null);
      cancelPreparing();
      decideCancelled(false);
      for (const open of [session, inWorker]) open?.letGo();
      session = null;
      inWorker = null;
      void inbox.letPlacesGo();
      inbox.dispose();
      endWorker();
    },
  };
}

/** Capture logs what the browser says of a microphone or a tab, in the words of docs/behaviour.md. */
function isLoggedWhereFound({ code }: ErrorInfo): boolean {
  return code.startsWith('microphone-') || code === 'insecure-page' || code === 'tab-sound-refused';
}
