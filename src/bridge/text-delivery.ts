import type { Clock } from '../core/clock.ts';
import type { DeliveryVerdict } from '../core/contracts/dictation.ts';
import type { TextChunks } from '../core/contracts/worker-api.ts';
import { toErrorInfo } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import type { Supervisor } from './supervisor.ts';
import type { UndeliveredTexts } from './undelivered-texts.ts';

/**
 * A keyboard may stay composing, and a page's promise may never end: what is not in by then is not
 * to go in any more.
 */
const WITHDRAWN_AFTER_MS = 29_000;

/**
 * So long whoever inserts it may take to say whether it is in; then the text is offered in the
 * list.
 */
const LAST_ANSWER_MS = 1_000;

/**
 * Workers that are told what became of a text, one after the other dead, before it is left as it
 * is.
 */
const MOST_TELLINGS = 5;

/** A text on its way into the page. */
export type TextOnItsWay = {
  readonly sessionId: string;
  /** The chunks it was made of: these are settled, and no others. */
  readonly chunks: TextChunks;
  /**
   * Given a signal that is aborted when the text is about to be offered elsewhere: then it must not
   * go in any more.
   */
  readonly insert: (withdrawn: AbortSignal) => DeliveryVerdict | Promise<DeliveryVerdict>;
};

/**
 * Texts on their way into the page, and what became of them told to the worker, whichever it is by
 * then.
 */
export type TextDelivery = {
  /**
   * Inserts a text. False if that was refused, failed, or took over 30 s, which is logged and told.
   * Never rejects.
   */
  insert(text: TextOnItsWay): Promise<DeliveryVerdict>;
  /** Whether a text of that session is on its way. */
  isUnderWay(sessionId: string): boolean;
  /** Has the text's chunks deleted or kept as the verdict says. Never rejects. */
  settle(text: Pick<TextOnItsWay, 'sessionId' | 'chunks'>, verdict: DeliveryVerdict): Promise<void>;
};

export type TextDeliveryPorts = {
  readonly supervisor: Supervisor;
  readonly undelivered: UndeliveredTexts;
  readonly clock: Clock;
  readonly log: Logger;
};

export function createTextDelivery(ports: TextDeliveryPorts): TextDelivery {
  const { supervisor, undelivered, clock, log } = ports;
  const underWay = new Set<string>();

  async function settle(
    { sessionId, chunks }: Pick<TextOnItsWay, 'sessionId' | 'chunks'>,
    verdict: DeliveryVerdict,
  ): Promise<void> {
    for (let telling = 1; ; telling += 1) {
      const worker = supervisor.worker();
      try {
        return await worker.call(worker.api.settle(sessionId, verdict, chunks));
      } catch (error) {
        // A dead worker holds no claim, and one that takes its place has none to end.
        if (verdict === false) return;
        if (supervisor.worker() !== worker && telling < MOST_TELLINGS) continue;
        const info = toErrorInfo(error, 'worker-crashed');
        log.error('A text that is in the field is offered again', info);
        return;
      }
    }
  }

  async function ask({ insert }: TextOnItsWay, withdrawn: AbortSignal): Promise<DeliveryVerdict> {
    try {
      return await insert(withdrawn);
    } catch (error) {
      log.error('The text could not be delivered and stays in the queue', error);
      return false;
    }
  }

  return {
    settle,
    isUnderWay: (sessionId) => underWay.has(sessionId),
    insert(text) {
      const { sessionId } = text;
      underWay.add(sessionId);
      return new Promise((resolve) => {
        const withdrawing = new AbortController();
        let isLate = false;
        const conclude = (verdict: DeliveryVerdict): void => {
          underWay.delete(sessionId);
          if (verdict === false) undelivered.add(sessionId);
          resolve(verdict);
        };
        const offer = (): void => {
          isLate = true;
          log.warn('The text was not in the page within 30 s; it is offered');
          conclude(false);
        };
        let cancel = clock.after(WITHDRAWN_AFTER_MS, () => {
          withdrawing.abort();
          cancel = clock.after(LAST_ANSWER_MS, offer);
        });
        void ask(text, withdrawing.signal).then((verdict) => {
          cancel();
          if (!isLate) conclude(verdict);
          else if (verdict !== false) void settle(text, verdict);
        });
      });
    },
  };
}
