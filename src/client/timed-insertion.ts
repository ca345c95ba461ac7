import type { CancelTimer, Clock } from '../core/clock.ts';
import type { DeliveryVerdict } from '../core/contracts/dictation.ts';
import type { Logger } from '../core/logger.ts';

/**
 * A keyboard may stay composing, and a page's promise may never end: what is not in by then is not
 * to go in any more.
 */
const WITHDRAWN_AFTER_MS = 29_000;

/** So long whoever inserts it may take to say whether it is in; then it counts as not in. */
const LAST_ANSWER_MS = 1_000;

/** Puts a text into the page; `withdrawn` is aborted when it must not go in any more. */
export type Insert = (withdrawn: AbortSignal) => DeliveryVerdict | Promise<DeliveryVerdict>;

/** A text on its way into the page. */
export type TimedInsertion = {
  /** False too if it failed, or took too long. Never rejects. */
  readonly verdict: Promise<DeliveryVerdict>;
  /** It is not to go in any more: what is not in within a second is not in. */
  withdraw(): void;
};

export type TimedInsertionPorts = {
  readonly clock: Clock;
  readonly log: Logger;
  /** It took too long. */
  readonly onOverdue: () => void;
  /** It went in all the same, after it had counted as not in. */
  readonly onLate: (verdict: Exclude<DeliveryVerdict, false>) => void;
};

/** Begins an insertion, which ends within 30 s. */
export function insertInTime(insert: Insert, ports: TimedInsertionPorts): TimedInsertion {
  const { clock, log, onOverdue, onLate } = ports;
  const withdrawing = new AbortController();
  let isOver = false;
  let cancel: CancelTimer = () => {};
  let conclude: (verdict: DeliveryVerdict) => void = () => {};
  const verdict = new Promise<DeliveryVerdict>((resolve) => {
    conclude = (given) => {
      isOver = true;
      cancel();
      resolve(given);
    };
  });

  function withdraw(): void {
    if (isOver || withdrawing.signal.aborted) return;
    cancel();
    cancel = clock.after(LAST_ANSWER_MS, () => {
      onOverdue();
      conclude(false);
    });
    withdrawing.abort();
  }

  async function ask(): Promise<DeliveryVerdict> {
    try {
      return await insert(withdrawing.signal);
    } catch (error) {
      log.error('The text could not be delivered and stays in the queue', error);
      return false;
    }
  }

  cancel = clock.after(WITHDRAWN_AFTER_MS, withdraw);
  void ask().then((given) => {
    if (!isOver) conclude(given);
    else if (given !== false) onLate(given);
  });
  return { verdict, withdraw };
}
