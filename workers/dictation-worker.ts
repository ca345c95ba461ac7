import { assertNever } from '../src/core/assert-never.ts';
import type { AudioEncoderPort } from '../src/core/audio-types.ts';
import type { Clock } from '../src/core/clock.ts';
import type { SessionOptions } from '../src/core/dictation-options.ts';
import { DikteraError, type ErrorInfo, toErrorInfo } from '../src/core/errors.ts';
import { JOURNAL_SCHEMA_VERSION, type Journal } from '../src/core/journal.ts';
import type { Logger } from '../src/core/logger.ts';
import { checkSessionOptions } from '../src/core/session-option-check.ts';
import type {
  DictationWorkerApi,
  PageEvent,
  SessionResult,
  WorkerSetup,
} from '../src/core/worker-api.ts';
import type { EngineHolder } from './engine-holder.ts';
import type { ServerWatch } from './server-watch.ts';
import type { Recovery } from './session/recovery.ts';
import { createSession, type Session } from './session/session.ts';
import type { SnapshotPublisher } from './snapshot-publisher.ts';
import type { ReleaseLock } from './storage/held-lock.ts';
import type { SessionLocks } from './storage/session-lock.ts';
import type { UploadQueue } from './upload/upload-queue.ts';

/** What a worker is made of, once it knows where things are. */
export type WorkerParts = {
  readonly engines: EngineHolder;
  readonly encoder: AudioEncoderPort;
  readonly journal: Journal;
  readonly locks: SessionLocks;
  readonly queue: UploadQueue;
  readonly recovery: Recovery;
  readonly server: ServerWatch;
};

export type DictationWorkerPorts = {
  readonly publisher: SnapshotPublisher;
  readonly clock: Clock;
  readonly log: Logger;
  /** Makes the parts; called once, by the first `prepare`. */
  readonly assemble: (setup: WorkerSetup) => WorkerParts;
};

const EMPTY_RESULT: SessionResult = { transcription: '', failedChunks: 0 };

/** The dictation worker's calls: leads one session at a time through its parts. */
export function createDictationWorker(
  ports: DictationWorkerPorts,
): DictationWorkerApi<MessagePort> {
  const { publisher, clock, log } = ports;
  const { dispatch } = publisher;
  let parts: WorkerParts | null = null;
  let session: Session | null = null;
  let releaseLock: ReleaseLock | undefined;

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
    dispatch({ kind: 'session-released' });
  }

  function createSessionOf(id: string, options: SessionOptions): Session {
    const { engines, encoder, queue, journal } = getParts();
    return createSession({
      id,
      options,
      engine: engines.get(options),
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
    const { encoder, journal, locks } = getParts();
    const options = checkSessionOptions(given, log);
    session = createSessionOf(id, options);
    dispatch({ kind: 'session-began', id });
    const header = {
      sessionId: id,
      startedAtMs: clock.nowMs(),
      options,
      target: null,
      schemaVersion: JOURNAL_SCHEMA_VERSION,
    };
    // The lock first: a journal without one is an orphan to other tabs. Storage that fails is told by
    // the journal itself and stops nobody from speaking.
    void locks.take(id).then(async (release) => {
      if (!running(id)) return release?.();
      releaseLock = release;
      await journal.begin(header).catch(() => {});
    });
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
    const { queue, journal } = getParts();
    if (isDelivered) await queue.handedOver(id);
    if (!running(id)) return;
    const isJournalNeeded = !session?.isKeptInQueue;
    closeSession();
    if (!isJournalNeeded) await journal.remove(id).catch(() => {});
  }

  async function recover(id: string): Promise<SessionResult> {
    const { recovery, queue } = getParts();
    await recovery.recover(id);
    return queue.resultOf(id);
  }

  return {
    async prepare(setup) {
      parts ??= ports.assemble(setup);
      const { engines, server, recovery, queue } = parts;
      server.ask();
      await engines.get(setup);
      await recovery.recoverOrphans().catch((error: unknown) => {
        log.error('Earlier recordings could not be looked for', error);
      });
      queue.start();
    },
    async subscribe(listener) {
      publisher.subscribe(listener);
    },
    begin,
    async connect(id, framePort) {
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
      return (await running(id)?.finish()) ?? EMPTY_RESULT;
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
      await getParts().queue.discard(itemId);
    },
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
