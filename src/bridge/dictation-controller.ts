import type { CaptureHandle, CapturePort, CaptureRequest } from '../core/capture-port.ts';
import type { CancelTimer, Clock } from '../core/clock.ts';
import type { DeliveryVerdict, Dictation, StartOptions } from '../core/dictation.ts';
import { DEFAULT_SESSION_OPTIONS, type SessionOptions } from '../core/dictation-options.ts';
import { type DikteraError, type ErrorInfo, toErrorInfo } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import type { NoticeKind } from '../core/notices.ts';
import { IDLE_SESSION, type SessionState } from '../core/snapshot.ts';
import type { SessionResult } from '../core/worker-api.ts';
import { createCaptureReports } from './capture-reports.ts';
import { createDeathCount } from './death-count.ts';
import { createHandOver } from './hand-over.ts';
import { createLateTexts } from './late-texts.ts';
import { openSession } from './open-session.ts';
import { holdPageLock } from './page-lock.ts';
import { createSessionLead, type SessionLead } from './session-lead.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import type { Supervisor } from './supervisor.ts';
import { createWorkerCommands } from './worker-commands.ts';

export type ControllerPorts = {
  readonly supervisor: Supervisor;
  readonly capture: CapturePort<MessagePort>;
  readonly store: SnapshotStore;
  readonly clock: Clock;
  readonly log: Logger;
  /** A new session's id: unique for ever. */
  readonly newId: () => string;
  /** Called when recording begins. */
  readonly onRecording?: () => void;
};

/** A session from the press of the button to the delivery of its text. */
type Session = {
  readonly id: string;
  readonly lead: SessionLead;
  readonly options: SessionOptions;
  readonly deliver: StartOptions['deliver'];
  /** True once the microphone is open; false if it did not open. */
  readonly opened: Promise<boolean>;
  /** Lets other tabs have what is left of it. */
  readonly releaseLock: () => void;
  capture: CaptureHandle<MessagePort> | null;
  /** All that was said is in the journal: a worker that dies now is replaced by a recovery. */
  isWritten: boolean;
  /** Aborted when the dictation is disposed of. */
  readonly gone: AbortController;
  /** Set by whatever ends the session first; later ones wait for the same end. */
  ending: Promise<SessionResult | null> | null;
};

/**
 * The worker says that recording cannot go on. A full disk loses nothing: what was captured is in memory
 * at least, and goes to the server from there.
 */
const ENDING_NOTICES: ReadonlySet<NoticeKind> = new Set(['storage-full', 'max-duration-reached']);

/**
 * What is being drawn goes first, and a press that comes at once: a new worker would only be in the
 * microphone's way then.
 */
const PREPARE_AFTER_MS = 50;

const STARTING_SESSION: SessionState = { ...IDLE_SESSION, phase: 'starting' };

/** Leads microphone and worker through a session: the commands behind `Dictation`. */
export function createDictationController(ports: ControllerPorts): Dictation {
  const { supervisor, capture, store, log } = ports;
  let session: Session | null = null;
  let isDisposed = false;
  let cancelPreparing: CancelTimer = () => {};
  const countDeath = createDeathCount(ports.clock);

  const takeText = async (
    sessionId: string,
    insert: (text: string) => Promise<DeliveryVerdict>,
  ): Promise<DeliveryVerdict> => {
    const { api, call } = supervisor.worker();
    const text = await call(api.claim(sessionId));
    if (text === null) return false;
    let verdict: DeliveryVerdict = false;
    try {
      verdict = await insert(text);
    } finally {
      await call(api.settle(sessionId, verdict)).catch(() => {}); // A dead worker holds no claim.
    }
    return verdict;
  };
  const lateTexts = createLateTexts({ store, takeText });
  const handOver = createHandOver({ supervisor, lateTexts, log });
  const reports = createCaptureReports({ supervisor, log });

  const start = async (options: StartOptions = {}): Promise<boolean> => {
    if (session || isDisposed) return false;
    const { deliver, deviceId = null, tabSound = false, ...given } = options;
    const id = ports.newId();
    const created: Session = {
      id,
      lead: createSessionLead({
        first: supervisor.worker,
        onRefused: (refusal) => {
          log.error('No worker can go on with the recording', refusal);
          void end(created, false);
        },
      }),
      releaseLock: holdPageLock(id),
      options: { ...DEFAULT_SESSION_OPTIONS, ...given },
      deliver,
      opened: Promise.resolve().then(() => open(created, { deviceId, tabSound })),
      capture: null,
      gone: new AbortController(),
      isWritten: false,
      ending: null,
    };
    session = created;
    // Seen at once: the microphone, and a worker that has only just been started, may keep the thread busy.
    store.expect(id);
    return created.opened;
  };

  const open = async (
    opening: Session,
    request: Pick<CaptureRequest<MessagePort>, 'deviceId' | 'tabSound'>,
  ): Promise<boolean> => {
    const refusal = await openSession({
      ...opening,
      clock: ports.clock,
      hasWorker: supervisor.hasWorker(),
      capture,
      gone: opening.gone.signal,
      request: {
        ...request,
        onLost: (error) => onLost(opening, error),
        onChange: reports.changed,
      },
      onOpen: (opened) => {
        opening.capture = opened;
        ports.onRecording?.();
      },
    });
    if (refusal && !isDisposed) await fail(opening, refusal);
    return refusal === null;
  };

  const fail = async (failed: Session, error: ErrorInfo): Promise<void> => {
    if (session === failed) session = null;
    if (!isLoggedWhereFound(error)) log.error(error.message, error.code);
    failed.releaseLock();
    if (error.code !== 'worker-crashed') {
      await failed.lead.call((api) => api.abandon(failed.id, error)).catch(() => {});
    }
    store.forget(failed.id);
  };

  /** Ends a session once, whatever asks for it: a person, a limit, a lost microphone. */
  const end = (ended: Session, waitsForSpeech: boolean): Promise<SessionResult | null> => {
    ended.ending ??= finish(ended, waitsForSpeech).finally(() => {
      if (session === ended) session = null;
    });
    return ended.ending;
  };

  const finish = async (ended: Session, waitsForSpeech: boolean): Promise<SessionResult | null> => {
    if (!(await ended.opened)) return null;
    const { id, lead } = ended;
    try {
      if (waitsForSpeech) await lead.call((api) => api.finishSpeech(id));
      await ended.capture?.stop();
      await lead.call((api) => api.endRecording(id));
      ended.isWritten = true;
      void ended.capture?.end();
      const result = await lead.call((api) => api.finish(id));
      return await handOver.give(ended, result);
    } catch (error) {
      await ended.capture?.end();
      return handOver.recover(ended, error);
    }
  };

  const onLost = (lost: Session, error: DikteraError): void => {
    reports.lost(error);
    void end(lost, false);
  };

  /** True if the session at hand goes on in the next worker. */
  supervisor.onCrash((error, next) => {
    log.error(error.message, error);
    const what = countDeath();
    // What is written is recovered: the pending call notices by itself.
    if (!session || session.isWritten) return false;
    const { id: sessionId, options, lead } = session;
    if (what === 'give-up') {
      lead.giveUp(error);
    } else {
      const { session: seen, notices } = store.getSnapshot();
      // It may have died before it told of the session.
      const known = seen.id === sessionId ? seen : { ...STARTING_SESSION, id: sessionId };
      lead.handOver(next, { sessionId, options, session: known, notices });
    }
    if (what !== 'go-on') void end(session, false);
    if (what === 'end') reports.raise('worker-crashed', toErrorInfo(error, 'worker-crashed'));
    return what !== 'give-up';
  });

  store.subscribe(() => {
    if (!session || session.ending) return;
    const snapshot = store.getSnapshot();
    // Before the worker has begun it, what is said is of the session before.
    if (snapshot.session.id !== session.id) return;
    if (!snapshot.notices.some(({ kind }) => ENDING_NOTICES.has(kind))) return;
    void end(session, true);
  });

  return {
    prepare() {
      void capture.preload();
      cancelPreparing();
      cancelPreparing = ports.clock.after(PREPARE_AFTER_MS, () => {
        if (!session) supervisor.worker();
      });
    },
    start,
    pause: () => session?.capture?.pause(),
    resume: () => session?.capture?.resume(),
    stop: async () => (session ? end(session, true) : null),
    stopWaiting() {
      if (!session?.ending) return;
      const { id, lead } = session;
      void lead.call((api) => api.stopWaiting(id)).catch(() => {});
    },
    getSnapshot: store.getSnapshot,
    subscribe: store.subscribe,
    ...createWorkerCommands(supervisor),
    takeText,
    dispose() {
      isDisposed = true;
      cancelPreparing();
      session?.gone.abort();
      session?.releaseLock();
      session = null;
      lateTexts.dispose();
      supervisor.dispose();
    },
  };
}

/** Capture logs what the browser says of a microphone or a tab, in the spec's words. */
function isLoggedWhereFound({ code }: ErrorInfo): boolean {
  return code.startsWith('microphone-') || code === 'insecure-page' || code === 'tab-sound-refused';
}
