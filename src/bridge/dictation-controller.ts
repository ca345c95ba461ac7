import * as Comlink from 'comlink';
import { assertNever } from '../core/assert-never.ts';
import type { CaptureChange, CaptureHandle, CapturePort } from '../core/capture-port.ts';
import type { Dictation, StartOptions } from '../core/dictation.ts';
import { DEFAULT_SESSION_OPTIONS, type SessionOptions } from '../core/dictation-options.ts';
import { type DikteraError, type ErrorInfo, toErrorInfo } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import type { NoticeKind } from '../core/notices.ts';
import type { SessionResult } from '../core/worker-api.ts';
import { createLateTexts } from './late-texts.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import type { Supervisor } from './supervisor.ts';
import type { WorkerClient } from './worker-client.ts';

export type ControllerPorts = {
  readonly supervisor: Supervisor;
  readonly capture: CapturePort<MessagePort>;
  readonly store: SnapshotStore;
  readonly log: Logger;
  /** A new session's id: unique for ever. */
  readonly newId: () => string;
  /** Called when recording begins. */
  readonly onRecording?: () => void;
};

/** A session from the press of the button to the delivery of its text. */
type Session = {
  readonly id: string;
  readonly worker: WorkerClient;
  readonly options: SessionOptions;
  readonly deliver: StartOptions['deliver'];
  /** True once the microphone is open; false if it did not open. */
  readonly opened: Promise<boolean>;
  capture: CaptureHandle | null;
  /** Set by whatever ends the session first; later ones wait for the same end. */
  ending: Promise<SessionResult | null> | null;
};

/**
 * The worker says that recording cannot go on. A full disk loses nothing: what was captured is in memory
 * at least, and goes to the server from there.
 */
const ENDING_NOTICES: ReadonlySet<NoticeKind> = new Set(['storage-full', 'max-duration-reached']);

const EMPTY_RESULT: SessionResult = { transcription: '', failedChunks: 0 };

/** Leads microphone and worker through a session: the commands behind `Dictation`. */
export function createDictationController(ports: ControllerPorts): Dictation {
  const { supervisor, capture, store, log } = ports;
  let session: Session | null = null;
  let isDisposed = false;

  const raise = (notice: NoticeKind, error: ErrorInfo | null): void => {
    void supervisor.worker().api.report({ kind: 'notice', notice, error });
  };

  const takeText = async (
    sessionId: string,
    insert: (text: string) => Promise<boolean>,
  ): Promise<boolean> => {
    const { api, call } = supervisor.worker();
    const text = await call(api.claim(sessionId));
    if (text === null) return false;
    let isInserted = false;
    try {
      isInserted = await insert(text);
    } finally {
      await call(api.settle(sessionId, isInserted)).catch(() => {}); // A dead worker holds no claim.
    }
    return isInserted;
  };
  const lateTexts = createLateTexts({ store, takeText });

  const start = async (options: StartOptions = {}): Promise<boolean> => {
    if (session || isDisposed) return false;
    const { deliver, deviceId, tabSound, ...given } = options;
    const id = ports.newId();
    const worker = supervisor.worker();
    const created: Session = {
      id,
      worker,
      options: { ...DEFAULT_SESSION_OPTIONS, ...given },
      deliver,
      opened: Promise.resolve().then(() => open(created, deviceId ?? null, tabSound ?? false)),
      capture: null,
      ending: null,
    };
    session = created;
    return created.opened;
  };

  /** Model, worklet and microphone open side by side. */
  const open = async (
    opening: Session,
    deviceId: string | null,
    tabSound: boolean,
  ): Promise<boolean> => {
    const { id, worker } = opening;
    const { api, call } = worker;
    const channel = new MessageChannel();
    const begun = call(api.begin(id, opening.options));
    void api.connect(id, Comlink.transfer(channel.port1, [channel.port1]));
    const request = {
      framePort: channel.port2,
      deviceId,
      tabSound,
      onLost: (error: DikteraError) => onLost(opening, error),
      onChange: (change: CaptureChange) => onChange(opening, change),
    };
    const [worked, microphone] = await Promise.allSettled([begun, capture.open(request)]);
    const refusal =
      worked.status === 'rejected' ? toErrorInfo(worked.reason, 'worker-crashed') : worked.value;
    if (microphone.status === 'rejected') {
      await fail(opening, refusal ?? toErrorInfo(microphone.reason, 'microphone-failed'));
      return false;
    }
    if (refusal) {
      await microphone.value.end();
      await fail(opening, refusal);
      return false;
    }
    opening.capture = microphone.value;
    ports.onRecording?.();
    await call(api.opened(id, microphone.value.device)).catch(() => {}); // A crash is told elsewhere.
    return true;
  };

  const fail = async (failed: Session, error: ErrorInfo): Promise<void> => {
    if (session === failed) session = null;
    if (!isLoggedWhereFound(error)) log.error(error.message, error.code);
    if (error.code === 'worker-crashed') return;
    await failed.worker.call(failed.worker.api.abandon(failed.id, error)).catch(() => {});
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
    const { api, call } = ended.worker;
    try {
      if (waitsForSpeech) await call(api.finishSpeech(ended.id));
      await ended.capture?.end();
      return await handOver(ended, ended.worker, await call(api.finish(ended.id)));
    } catch (error) {
      await ended.capture?.end();
      return recover(ended, error);
    }
  };

  /** The worker died with the session in it: a new one makes text of what the journal holds. */
  const recover = async (ended: Session, cause: unknown): Promise<SessionResult> => {
    log.error('The recording is recovered from the journal', toErrorInfo(cause, 'worker-crashed'));
    const worker = supervisor.worker();
    try {
      return await handOver(ended, worker, await worker.call(worker.api.recover(ended.id)));
    } catch (error) {
      log.error('The recording stays in the journal', toErrorInfo(error, 'worker-crashed'));
      return EMPTY_RESULT;
    }
  };

  const isTaken = async (
    deliver: NonNullable<StartOptions['deliver']>,
    result: SessionResult,
  ): Promise<boolean> => {
    try {
      return await deliver(result);
    } catch (error) {
      log.error('The text could not be delivered and stays in the queue', error);
      return false;
    }
  };

  const handOver = async (
    ended: Session,
    worker: WorkerClient,
    result: SessionResult,
  ): Promise<SessionResult> => {
    const { id, deliver } = ended;
    const isWhole = result.failedChunks === 0;
    const isDelivered = !deliver || (isWhole && (await isTaken(deliver, result)));
    await worker.call(worker.api.release(id, isDelivered)).catch(() => {});
    // A text with a hole is no text: it is delivered, in order, when the last chunk has come.
    if (deliver && !isWhole) lateTexts.await(id, deliver);
    return result;
  };

  const onLost = (lost: Session, error: DikteraError): void => {
    log.error(error.message, error);
    raise(error.code === 'microphone-lost' ? 'microphone-lost' : 'audio-context-closed', {
      code: error.code,
      message: error.message,
    });
    void end(lost, false);
  };

  const onChange = ({ worker: { api } }: Session, change: CaptureChange): void => {
    switch (change.kind) {
      case 'switched':
        log.warn('The microphone went away; another one took over', change.device.label);
        void api.report({ kind: 'microphone-switched', device: change.device });
        raise('microphone-switched', null);
        break;
      case 'muted':
        if (change.isMuted) raise('microphone-muted', null);
        else void api.report({ kind: 'notice-dismissed', notice: 'microphone-muted' });
        break;
      case 'tab-sound-ended':
        log.info('The tab is no longer shared');
        raise('tab-sound-ended', null);
        break;
      default:
        assertNever(change);
    }
  };

  supervisor.onCrash((error) => {
    log.error(error.message, error);
    // A session being ended notices by its own pending call.
    if (session) void end(session, false);
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
      supervisor.worker();
      void capture.preload();
    },
    start,
    pause: () => session?.capture?.pause(),
    resume: () => session?.capture?.resume(),
    stop: async () => (session ? end(session, true) : null),
    getSnapshot: store.getSnapshot,
    subscribe: store.subscribe,
    levels() {
      const { port1, port2 } = new MessageChannel();
      void supervisor.worker().api.tellLevels(Comlink.transfer(port1, [port1]));
      return port2;
    },
    retry: (itemId) => void supervisor.worker().api.retry(itemId),
    discard: (itemId) => void supervisor.worker().api.discard(itemId),
    retryKept: async (sessionId) => {
      const { api, call } = supervisor.worker();
      await call(api.retryKept(sessionId));
    },
    discardKept: (sessionId) => void supervisor.worker().api.discardKept(sessionId),
    takeText,
    audio: async (sessionId) => {
      const { api, call } = supervisor.worker();
      return call(api.audio(sessionId));
    },
    wipe: async () => {
      const { api, call } = supervisor.worker();
      await call(api.wipe());
    },
    dismissNotice: (notice) =>
      void supervisor.worker().api.report({ kind: 'notice-dismissed', notice }),
    dispose() {
      isDisposed = true;
      void session?.capture?.end();
      session = null;
      lateTexts.dispose();
      supervisor.dispose();
    },
  };
}

/** Capture logs what the browser says of a microphone or a tab, in the spec's words. */
function isLoggedWhereFound({ code }: ErrorInfo): boolean {
  return code.startsWith('microphone-') || code === 'tab-sound-refused';
}
