import { createDeferred, sleep } from '../core/async.ts';
import type { CancelTimer, Clock } from '../core/clock.ts';
import type { CapturePort, CaptureRequest } from '../core/contracts/capture-port.ts';
import type { Dictation, StartOptions } from '../core/contracts/dictation.ts';
import type { SessionResult } from '../core/contracts/worker-api.ts';
import { type DikteraError, type ErrorInfo, toErrorInfo } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import { completeOptions } from '../core/options/complete-options.ts';
import { DEFAULT_SESSION_OPTIONS } from '../core/options/dictation-options.ts';
import type { EngineChoice } from '../core/speech/speech-engine.ts';
import { withDeadline } from '../platform/deadline.ts';
import { holdOpen } from '../platform/locks.ts';
import { type ActiveSession, takeoverOf } from './active-session.ts';
import { createCaptureReports } from './capture-reports.ts';
import type { KeptPage } from './kept-page.ts';
import { openSession } from './open-session.ts';
import { createResultDelivery } from './result-delivery.ts';
import { createSessionEnd } from './session-end.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import { createTextInbox, deliverNothing, NO_PIECES } from './text-inbox.ts';
import { createWorkerCommands, type KeepingHolder } from './worker-commands.ts';
import { createCrashCount, SessionWorker, type WorkerConnection } from './worker-connection.ts';

export type ControllerPorts = {
  readonly connection: WorkerConnection;
  readonly capture: CapturePort<MessagePort>;
  readonly store: SnapshotStore;
  readonly clock: Clock;
  readonly log: Logger;
  /** The engine of a recording that names none. @default the defaults of `SessionOptions` */
  readonly engine?: EngineChoice;
  /** How long recordings are kept. */
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
 * What is being drawn goes first, and a press that comes at once: a new worker would only be in the
 * microphone's way then.
 */
const PREPARE_AFTER_MS = 50;

/**
 * A worker that is not free by then answers that it is not, and the start is refused: what was said
 * since the press is lost. So this is longer than two workers take that do not answer for 30 s, one
 * after the other, and the end of the recording before with them.
 */
const FREE_WAIT_MS = 120_000;

/** A recording that has not begun by then, with its microphone open, is said to be late. */
const BEGIN_WAIT_MS = 4_000;

/** A stop is answered by then. */
const STOP_MS = 20_000;

const LATE_RESULT: SessionResult = { text: '', failedChunks: 1, doubtfulChunks: 0 };

/** Leads microphone and worker through a session: the commands behind `Dictation`. */
export function createDictationController(ports: ControllerPorts): Dictation & KeptPage {
  const { connection, capture, store, log } = ports;
  /** The session asked for last; it may wait for the one before. */
  let session: ActiveSession | null = null;
  /** The session that the worker has. */
  let inWorker: ActiveSession | null = null;
  /** Sessions whose text may still go into its own place. */
  const underWay = new Set<string>();
  let isDisposed = false;
  let cancelPreparing: CancelTimer = () => {};
  /** Since a recording was last asked for: what came before is no reason to give up that one. */
  let countCrash = createCrashCount(ports.clock);
  const reports = createCaptureReports({ connection, log });
  const inbox = createTextInbox({ ...ports, reports });
  // Out of the list nobody takes what may still go into its own place.
  const takeText: Dictation['takeText'] = async (sessionId, insert) =>
    underWay.has(sessionId) ? false : ((await inbox.take(sessionId, insert)) ?? false);
  const delivery = createResultDelivery({ connection, inbox, log });
  const commands = createWorkerCommands(connection, ports.holder, {
    ...ports,
    openHere: () => underWay,
    letPlacesGo: inbox.letPlacesGo,
  });
  const finish = createSessionEnd({ ...ports, delivery, reports });

  const start = async (options: StartOptions = {}): Promise<boolean> => {
    if (isDisposed) {
      log.error('Recording was asked for, but the dictation has been disposed of');
      // There is no worker to send the notice.
      store.dispatch({ kind: 'notice-raised', notice: 'disposed', error: null });
      return false;
    }
    if (session && !session.ending) {
      log.error('Recording was asked for, but a recording is under way');
      reports.raise('already-recording');
      return false;
    }
    const { deliver, deliverPiece, deviceId = null, tabSound = false, ...given } = options;
    const id = ports.newId();
    const former = session;
    countCrash = createCrashCount(ports.clock);
    const complete = completeOptions(given, {
      ...DEFAULT_SESSION_OPTIONS,
      ...ports.engine,
      likelyLanguages: ports.pageLanguages?.(),
    });
    const isInsertedLive = complete.live !== false && complete.insert === 'at-pause';
    const created: ActiveSession = {
      id,
      worker: new SessionWorker(connection.worker, (refusal) => {
        log.error('No worker can go on with the recording', refusal);
        void end(created, false);
      }),
      releaseLock: holdOpen(id),
      options: complete,
      deliver,
      pieces: isInsertedLive && deliverPiece ? inbox.insertPieces(id, deliverPiece) : NO_PIECES,
      opened: silenced(former).then(() => open(created, { deviceId, tabSound }, former)),
      capture: null,
      gone: new AbortController(),
      isWritten: false,
      isAnswered: false,
      hurried: createDeferred(),
      quiet: createDeferred(),
      free: createDeferred(),
      ending: null,
    };
    session = created;
    underWay.add(id);
    if (!former) inWorker = created;
    void created.free.promise.then(() => {
      if (inWorker === created) inWorker = null;
    });
    // Seen at once: the microphone, and a worker that has only just been started, may keep the
    // thread busy.
    store.expect(id);
    return created.opened;
  };

  /** The recording before waits for nothing more: what is not text yet comes late to its place. */
  const silenced = async (former: ActiveSession | null): Promise<void> => {
    former?.hurried.resolve();
    await former?.quiet.promise;
  };

  const freed = async (former: ActiveSession, next: ActiveSession): Promise<void> => {
    await withDeadline(ports.clock, former.free.promise, FREE_WAIT_MS, () => {});
    // Also where a third has been asked for meanwhile: this one is still the worker's next.
    if (isDisposed || !underWay.has(next.id)) return;
    inWorker = next;
    // The worker's crash may have been shown meanwhile.
    if (session === next) store.expect(next.id);
  };

  const open = async (
    opening: ActiveSession,
    request: Pick<CaptureRequest<MessagePort>, 'deviceId' | 'tabSound'>,
    former: ActiveSession | null,
  ): Promise<boolean> => {
    const refusal = await openSession({
      ...opening,
      clock: ports.clock,
      free: former && freed(former, opening),
      hasWorker: connection.hasWorker(),
      capture,
      gone: opening.gone.signal,
      request: {
        ...request,
        onLost: (error) => onLost(opening, error),
        onChange: reports.changed,
        onRebuilt: () => opening.worker.reconnect(opening.id),
      },
      onOpen: (opened) => {
        opening.capture = opened;
        ports.onRecording?.();
        // The next recording needs no worker to have begun this one.
        void opening.hurried.promise.then(() => opened.stop()).then(() => opening.quiet.resolve());
        const cancel = ports.clock.after(BEGIN_WAIT_MS, () => tellDelayed(opening));
        void opening.opened.finally(cancel);
      },
      onWorkerless: () => void end(opening, false),
    }).catch((thrown: unknown) => toErrorInfo(thrown, 'audio-graph-failed'));
    if (refusal) await fail(opening, refusal);
    return refusal === null;
  };

  const tellDelayed = ({ id }: ActiveSession): void => {
    log.warn('The microphone is open, and the recording has not begun');
    if (!store.delay(id)) reports.raise('start-delayed');
  };

  const forget = (over: ActiveSession): void => {
    if (session === over) session = null;
    if (inWorker === over) inWorker = null;
    underWay.delete(over.id);
    void over.pieces.close();
    over.quiet.resolve();
    over.free.resolve();
  };

  /** What it has heard is for whoever looks into the journal next. */
  const letGo = (open: ActiveSession | null): void => {
    open?.gone.abort();
    void open?.pieces.close();
    open?.releaseLock();
  };

  /** The page will not bring it to its end: its place in the field is given up. */
  const abandon = (left: ActiveSession): void => {
    letGo(left);
    forget(left);
    store.tellLate(left.id);
    if (left.deliver && !inbox.isOnItsWay(left.id)) void deliverNothing(left.deliver);
  };

  const fail = async (failed: ActiveSession, error: ErrorInfo): Promise<void> => {
    forget(failed);
    if (!isLoggedWhereFound(error)) log.error(error.message, error.code);
    failed.releaseLock();
    if (error.code !== 'worker-crashed') {
      await failed.worker.call((api) => api.abandon(failed.id, error)).catch(() => {});
    }
    store.forget(failed.id);
    store.tellLate(failed.id);
  };

  /** From the press on, whatever it has to wait for: what comes later goes to its place. */
  const inTime = (
    ended: ActiveSession,
    over: Promise<SessionResult | null>,
  ): Promise<SessionResult | null> => {
    const late = sleep(ports.clock, STOP_MS).then(() => {
      store.tellLate(ended.id);
      return ended.isAnswered ? over : LATE_RESULT;
    });
    return Promise.race([over, late]);
  };

  /** Ends a session once, whatever asks for it: a person, a limit, a lost microphone. */
  const end = (ended: ActiveSession, waitsForSpeech: boolean): Promise<SessionResult | null> => {
    ended.ending ??= inTime(
      ended,
      finish(ended, waitsForSpeech).finally(() => {
        forget(ended);
        store.forget(ended.id);
      }),
    );
    return ended.ending;
  };

  const onLost = (lost: ActiveSession, error: DikteraError): void => {
    reports.lost(error);
    void end(lost, false);
  };

  /** True if the session at hand goes on in the next worker. */
  connection.onCrash((error, next) => {
    log.error(error.message, error);
    const what = countCrash();
    // What is written is recovered: the pending call notices by itself.
    if (!inWorker || inWorker.isWritten) return false;
    if (what === 'give-up') inWorker.worker.giveUp(error);
    else inWorker.worker.moveTo(next, takeoverOf(inWorker, store.getSnapshot()));
    if (what !== 'go-on') void end(inWorker, false);
    if (what === 'end') reports.raise('worker-crashed', toErrorInfo(error, 'worker-crashed'));
    return what !== 'give-up';
  });

  store.subscribe(() => {
    if (!session || session.ending) return;
    const snapshot = store.getSnapshot();
    // Before the worker has begun it, what is said is of the session before.
    if (snapshot.session.id !== session.id) return;
    if (snapshot.session.endCause === null) return;
    void end(session, true);
  });

  return {
    prepare() {
      void capture.preload();
      cancelPreparing();
      cancelPreparing = ports.clock.after(PREPARE_AFTER_MS, () => {
        if (!session) connection.worker();
      });
    },
    start,
    pause: () => session?.capture?.pause(),
    resume: () => session?.capture?.resume(),
    stop: async () => (session ? end(session, true) : null),
    stopWaiting() {
      if (!session?.ending) return;
      const { id, worker, opened } = session;
      // Not before a worker has begun it: the one at hand now may be dead by then.
      void opened.then(() => worker.call((api) => api.stopWaiting(id))).catch(() => {});
    },
    getSnapshot: store.getSnapshot,
    subscribe: store.subscribe,
    ...commands,
    dismissNotice(notice) {
      if (notice === 'start-delayed') store.delay(null);
      commands.dismissNotice(notice);
    },
    takeText,
    async holdPlace(sessionId) {
      const place = inbox.holdPlace(sessionId);
      await place.held;
      return () => void place.release();
    },
    leave() {
      cancelPreparing();
      for (const left of new Set([session, inWorker])) if (left) abandon(left);
      inbox.leave();
      connection.dispose();
      // What else the worker knew goes on being shown, until the next one tells.
      store.dispatch({ kind: 'session-released' });
    },
    comeBack() {
      connection.revive();
      inbox.comeBack();
    },
    dispose() {
      isDisposed = true;
      cancelPreparing();
      for (const open of [session, inWorker]) letGo(open);
      session = null;
      inWorker = null;
      void inbox.letPlacesGo();
      inbox.dispose();
      connection.dispose();
    },
  };
}

/** Capture logs what the browser says of a microphone or a tab, in the spec's words. */
function isLoggedWhereFound({ code }: ErrorInfo): boolean {
  return code.startsWith('microphone-') || code === 'insecure-page' || code === 'tab-sound-refused';
}
