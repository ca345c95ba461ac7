import type { DeliveryVerdict, StartOptions } from '../core/dictation.ts';
import { toErrorInfo } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import type { SessionResult } from '../core/worker-api.ts';
import type { LateTexts } from './late-texts.ts';
import type { Supervisor } from './supervisor.ts';
import type { WorkerClient } from './worker-client.ts';

/** What of a session matters once it is over. */
export type EndedSession = {
  readonly id: string;
  readonly deliver: StartOptions['deliver'];
  /** Lets other tabs have what is left of it. */
  readonly releaseLock: () => void;
};

/** The end of a session: its text into the user's hands, then what was kept of it deleted. */
export type HandOver = {
  give(ended: EndedSession, result: SessionResult): Promise<SessionResult>;
  /** The worker died with the session in it: a new one makes text of what the journal holds. Never rejects. */
  recover(ended: EndedSession, cause: unknown): Promise<SessionResult>;
};

const EMPTY_RESULT: SessionResult = { transcription: '', failedChunks: 0, doubtfulChunks: 0 };

export function createHandOver({
  supervisor,
  lateTexts,
  log,
}: {
  readonly supervisor: Supervisor;
  readonly lateTexts: LateTexts;
  readonly log: Logger;
}): HandOver {
  const handOut = async (
    deliver: NonNullable<StartOptions['deliver']>,
    result: SessionResult,
  ): Promise<DeliveryVerdict> => {
    try {
      return await deliver(result);
    } catch (error) {
      log.error('The text could not be delivered and stays in the queue', error);
      return false;
    }
  };

  /** Has what was kept of a session deleted, if its text is in the user's hands. */
  const release = async (
    { id, releaseLock }: EndedSession,
    giver: WorkerClient,
    verdict: DeliveryVerdict,
  ): Promise<void> => {
    const isGone = () => supervisor.worker() !== giver;
    if (!isGone()) {
      releaseLock();
      await giver.call(giver.api.release(id, verdict)).catch(() => {});
    }
    if (isGone() && verdict !== false) {
      // A worker that came later does not know which text it was, until it has brought it together.
      const { api, call } = supervisor.worker();
      await call(api.recover(id));
      releaseLock();
      await call(api.release(id, verdict));
    }
    releaseLock();
  };

  const give: HandOver['give'] = async (ended, result) => {
    const { id, deliver } = ended;
    const giver = supervisor.worker();
    const isWhole = result.failedChunks === 0;
    const verdict = !deliver || (isWhole && (await handOut(deliver, result)));
    await release(ended, giver, verdict).catch(() => {});
    // A text with a hole is no text: it is delivered, in order, when the last chunk has come.
    if (deliver && !isWhole) lateTexts.await(id, deliver);
    return result;
  };

  return {
    give,
    async recover(ended, cause) {
      const info = toErrorInfo(cause, 'worker-crashed');
      log.error('The recording is recovered from the journal', info);
      const worker = supervisor.worker();
      try {
        return await give(ended, await worker.call(worker.api.recover(ended.id)));
      } catch (error) {
        log.error('The recording stays in the journal', toErrorInfo(error, 'worker-crashed'));
        ended.releaseLock();
        return EMPTY_RESULT;
      }
    },
  };
}
