import { sleep } from '../core/async.ts';
import type { Clock } from '../core/clock.ts';
import type { SessionResult, SessionText } from '../core/contracts/worker-api.ts';
import { toErrorInfo } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import { type ActiveSession, takeoverOf } from './active-session.ts';
import type { CaptureReports } from './capture-reports.ts';
import type { ResultDelivery } from './result-delivery.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import type { WorkerConnection } from './worker-connection.ts';

/**
 * Waits before another worker is asked to go on with a recording that none could. The microphone is
 * closed, so the worklet keeps its last minute as it is; workers that die together, for want of
 * memory say, come to rest.
 */
const RESCUE_PAUSES_MS = [1_000, 4_000, 10_000] as const;

/** Texts are waited for so long from the press on: the stop is to be over within 20 s. */
const TEXT_WAIT_MS = 19_000;

export type SessionEndPorts = {
  readonly connection: WorkerConnection;
  readonly delivery: ResultDelivery;
  readonly reports: Pick<CaptureReports, 'raise'>;
  readonly store: Pick<SnapshotStore, 'getSnapshot'>;
  readonly clock: Clock;
  readonly log: Logger;
};

/**
 * Brings a session from the last word to its text, whatever dies on the way. Null if nothing was
 * recorded. Never rejects.
 */
export type SessionEnd = (
  ended: ActiveSession,
  waitsForSpeech: boolean,
) => Promise<SessionResult | null>;

export function createSessionEnd(ports: SessionEndPorts): SessionEnd {
  const { connection, delivery, reports, store, clock, log } = ports;

  async function close(ended: ActiveSession): Promise<void> {
    await ended.capture?.stop();
    ended.quiet.resolve();
  }

  /** The microphone is closed: what was said is written down, and becomes text. */
  async function write(ended: ActiveSession): Promise<SessionText> {
    const { id, worker } = ended;
    const text = await worker.call(async (api) => {
      ended.isWritten = await api.endRecording(id);
      // On a full disk the worklet has it for the next worker, until this one has brought the text.
      if (ended.isWritten) void ended.capture?.end();
      // What stands in the page is in no text any more, and the worker is told before it gives one.
      await ended.pieces.close();
      return api.finish(id);
    });
    ended.isWritten = true;
    return text;
  }

  /**
   * No worker goes on, and what the last one had not written is in the worklet alone, until the
   * context is closed.
   */
  async function rescue(ended: ActiveSession): Promise<SessionText | null> {
    for (const pauseMs of RESCUE_PAUSES_MS) {
      await sleep(clock, pauseMs, ended.gone.signal);
      if (ended.gone.signal.aborted) return null;
      ended.worker.moveTo(connection.worker(), takeoverOf(ended, store.getSnapshot()));
      try {
        return await write(ended);
      } catch (error) {
        log.error('Another worker could not go on with the recording', error);
        if (ended.isWritten) return null;
      }
    }
    const message = 'What no worker had written into the journal is given up';
    log.error(message);
    reports.raise('speech-lost', { code: 'worker-crashed', message });
    return null;
  }

  /** A worker that is gone has nothing to wait for; one that has not begun it does not know it. */
  async function stopWaiting({ id, worker, opened }: ActiveSession): Promise<void> {
    if (await opened) await worker.call((api) => api.stopWaiting(id)).catch(() => {});
  }

  return async (ended, waitsForSpeech) => {
    const cancelWait = clock.after(TEXT_WAIT_MS, () => void stopWaiting(ended));
    void ended.hurried.promise.then(() => stopWaiting(ended));
    try {
      return await bring(ended, waitsForSpeech);
    } finally {
      cancelWait();
    }
  };

  async function bring(
    ended: ActiveSession,
    waitsForSpeech: boolean,
  ): Promise<SessionResult | null> {
    if (!(await ended.opened)) return null;
    const { id, worker, hurried } = ended;
    try {
      if (waitsForSpeech) {
        await Promise.race([worker.call((api) => api.finishSpeech(id)), hurried.promise]);
      }
      await close(ended);
      return await delivery.deliver(ended, await write(ended));
    } catch (error) {
      await close(ended);
      const text = ended.isWritten ? null : await rescue(ended);
      if (text) return await delivery.deliver(ended, text);
      // Handed to a worker from now on, it would stay there: the page has done with it.
      ended.isWritten = true;
      log.error(
        'The recording is recovered from the journal',
        toErrorInfo(error, 'worker-crashed'),
      );
      return await delivery.recover(ended);
    } finally {
      void ended.capture?.end();
    }
  }
}
