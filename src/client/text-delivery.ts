import type { Clock } from '../core/clock.ts';
import type { DeliveryVerdict } from '../core/contracts/dictation.ts';
import type { DeliveredChunks, TextChunks } from '../core/contracts/worker-api.ts';
import { toErrorInfo } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import { watchDeletion } from './deletion-watch.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import { type Insert, insertInTime } from './timed-insertion.ts';
import type { UndeliveredTexts } from './undelivered-texts.ts';
import type { WorkerClient, WorkerConnection } from './worker-connection.ts';

/**
 * Workers that are told what became of a text, one after the other dead, before it is left as it
 * is.
 */
const MOST_TELLINGS = 5;

/** A text on its way into the page. */
export type TextOnItsWay = {
  readonly sessionId: string;
  /** The chunks it was made of: these are told of, and no others. */
  readonly chunks: TextChunks;
  /**
   * Given a signal that is aborted when the text is about to be offered elsewhere: then it must not
   * go in any more.
   */
  readonly insert: Insert;
};

/** What is told of a text that was on its way. */
export type TextChunksOf = Pick<TextOnItsWay, 'sessionId' | 'chunks'>;

/**
 * Texts on their way into the page, and what became of them told to the worker, whichever it is by
 * then.
 */
export type TextDelivery = {
  /**
   * Inserts a text. False if that was refused, failed, or took over 30 s, which is logged and told;
   * also if the user throws it away meanwhile. Never rejects.
   */
  insert(text: TextOnItsWay): Promise<DeliveryVerdict>;
  /** Texts on their way are not to go in any more: they are about to be offered elsewhere. */
  withdrawAll(): void;
  /** Whether a text of that session is on its way. */
  isUnderWay(sessionId: string): boolean;
  /** The text is in the user's hands, or not, and the page has done with its session. */
  close(text: TextChunksOf, verdict: DeliveryVerdict): Promise<void>;
  /** The text is in the user's hands. Never rejects. */
  markDelivered(text: TextChunksOf, verdict: DeliveredChunks['verdict']): Promise<void>;
};

export type TextDeliveryPorts = {
  readonly store: Pick<SnapshotStore, 'getSnapshot' | 'subscribe'>;
  readonly connection: WorkerConnection;
  readonly undelivered: UndeliveredTexts;
  readonly clock: Clock;
  readonly log: Logger;
};

export function createTextDelivery(ports: TextDeliveryPorts): TextDelivery {
  const { store, connection, undelivered, clock, log } = ports;
  /** How each is withdrawn. */
  const underWay = new Map<string, () => void>();

  async function tell(
    isDelivered: boolean,
    telling: (api: WorkerClient['api']) => Promise<void>,
  ): Promise<void> {
    for (let tellings = 1; ; tellings += 1) {
      const worker = connection.worker();
      try {
        return await worker.call(telling(worker.api));
      } catch (error) {
        // A dead worker holds no claim, and one that takes its place has none to end.
        if (!isDelivered) return;
        if (connection.worker() !== worker && tellings < MOST_TELLINGS) continue;
        const info = toErrorInfo(error, 'worker-crashed');
        log.error('A text that is in the field is offered again', info);
        return;
      }
    }
  }

  const markDelivered: TextDelivery['markDelivered'] = ({ sessionId, chunks }, verdict) =>
    tell(true, (api) => api.markDelivered(sessionId, verdict, chunks));

  return {
    markDelivered,
    close({ sessionId, chunks }, verdict) {
      const delivered = verdict === false ? null : { verdict, chunks };
      return tell(delivered !== null, (api) => api.close(sessionId, delivered));
    },
    withdrawAll() {
      for (const withdraw of underWay.values()) withdraw();
    },
    isUnderWay: (sessionId) => underWay.has(sessionId),
    insert(text) {
      const { sessionId } = text;
      let isDeleted = false;
      const { verdict, withdraw } = insertInTime(text.insert, {
        clock,
        log,
        onOverdue() {
          if (!isDeleted) log.warn('The text was not in the page within 30 s; it is offered');
        },
        onLate: (late) => void markDelivered(text, late),
      });
      underWay.set(sessionId, withdraw);
      const stopWatching = watchDeletion(store, text, () => {
        isDeleted = true;
        withdraw();
      });
      return verdict.then((given) => {
        stopWatching();
        underWay.delete(sessionId);
        if (given === false && !isDeleted) undelivered.add(sessionId);
        return given;
      });
    },
  };
}
