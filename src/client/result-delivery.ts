import { isBlank } from '../core/blank-text.ts';
import type { DeliveryVerdict } from '../core/contracts/dictation.ts';
import type { DeliveredChunks, SessionResult, SessionText } from '../core/contracts/worker-api.ts';
import { toErrorInfo } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import type { ActiveSession } from './active-session.ts';
import { deliverNothing, type TextInbox } from './text-inbox.ts';
import type { WorkerClient, WorkerConnection } from './worker-connection.ts';

/** What of a session matters once it is over. */
export type EndedSession = Pick<
  ActiveSession,
  'id' | 'deliver' | 'pieces' | 'releaseLock' | 'hurried' | 'free' | 'gone' | 'isAnswered'
>;

/** The end of a session: its text into the user's hands, then what was kept of it deleted. */
export type ResultDelivery = {
  /** Never rejects. */
  deliver(ended: EndedSession, text: SessionText): Promise<SessionResult>;
  /**
   * The worker died with the session in it: a new one makes text of what the journal holds. Never
   * rejects.
   */
  recover(ended: EndedSession): Promise<SessionResult>;
};

const EMPTY_RESULT: SessionResult = { text: '', failedChunks: 0, doubtfulChunks: 0 };

export function createResultDelivery({
  connection,
  inbox,
  log,
}: {
  readonly connection: WorkerConnection;
  readonly inbox: TextInbox;
  readonly log: Logger;
}): ResultDelivery {
  /**
   * The worker may begin another session. False if it is dead, and knows nothing of this one any
   * more.
   */
  const free = async (
    { id, free }: EndedSession,
    worker: WorkerClient,
    delivered: DeliveredChunks | null,
  ): Promise<boolean> => {
    const isTold = worker.call(worker.api.close(id, delivered)).then(
      () => true,
      () => false,
    );
    isTold.then(() => free.resolve());
    return isTold;
  };

  /** Has what was kept of a session deleted, as far as its text is in the user's hands. */
  const release = async (
    ended: EndedSession,
    worker: WorkerClient,
    { chunks }: SessionText,
    verdict: DeliveryVerdict,
  ): Promise<void> => {
    // The worker has a lock of its own until it is told.
    if (connection.worker() === worker) ended.releaseLock();
    const isTold = await free(ended, worker, verdict === false ? null : { verdict, chunks });
    if (!isTold) await inbox.close({ sessionId: ended.id, chunks }, verdict);
    ended.releaseLock();
  };

  /**
   * The text takes its time, and the next recording is wanted: the worker is told later what became
   * of it.
   */
  const releaseLater = async (
    ended: EndedSession,
    worker: WorkerClient,
    { chunks }: SessionText,
    delivering: Promise<DeliveryVerdict>,
  ): Promise<void> => {
    const freed = free(ended, worker, null);
    const verdict = await delivering;
    // At once, however long the worker takes: who takes the text out of the list asks after this.
    const settled = inbox.close({ sessionId: ended.id, chunks }, verdict);
    // A worker whose storage hangs keeps no stop waiting.
    void Promise.all([freed, settled]).then(() => ended.releaseLock());
  };

  const deliverResult: ResultDelivery['deliver'] = async (ended, text) => {
    const { id, deliver, hurried } = ended;
    ended.isAnswered = true;
    const { chunks, ...result } = text;
    const worker = connection.worker();
    const isWhole = result.failedChunks === 0;
    if (!deliver) {
      await release(ended, worker, text, true);
      return result;
    }
    if (!isWhole) {
      // Not after the release: until then the session's own lock keeps other tabs from deleting it.
      const place = inbox.holdPlace(id);
      await place.held;
      await release(ended, worker, text, false);
      // A text with a hole is no text: it is delivered, in order, when the last chunk has come.
      inbox.awaitLate(id, deliver, place);
      return result;
    }
    const insert = async (withdrawn: AbortSignal): Promise<DeliveryVerdict> => {
      if (!isBlank(result.text)) return deliver(result, withdrawn);
      // Where nothing was said there is nothing that could wait for its place.
      await deliverNothing(deliver, result.doubtfulChunks);
      return true;
    };
    const delivering = inbox.insert({ sessionId: id, chunks }, insert);
    const verdict = await Promise.race([delivering, hurried.promise.then(() => null)]);
    if (verdict === null) await releaseLater(ended, worker, text, delivering);
    else await release(ended, worker, text, verdict);
    return result;
  };

  return {
    deliver: deliverResult,
    async recover(ended) {
      await ended.pieces.close();
      // Its page was left, or it is disposed of: somebody else may have it by now.
      if (ended.gone.signal.aborted) return EMPTY_RESULT;
      const { api, call } = connection.worker();
      const chunks = new Map(ended.pieces.delivered);
      try {
        return await deliverResult(ended, await call(api.recover(ended.id, chunks)));
      } catch (error) {
        log.error('The recording stays in the journal', toErrorInfo(error, 'worker-crashed'));
        // Cut anew by whoever recovers it, what stands in the page would be offered again.
        if (chunks.size > 0) await inbox.close({ sessionId: ended.id, chunks }, true);
        ended.releaseLock();
        return EMPTY_RESULT;
      }
    },
  };
}
