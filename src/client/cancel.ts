import { createDeferred, type Deferred, sleep } from '../core/async.ts';
import type { Clock } from '../core/clock.ts';
import type { StartOptions } from '../core/contracts/dictation.ts';
import type { Logger } from '../core/logger.ts';
import { deliverNothing } from './text-inbox.ts';
import type { WorkerConnection } from './worker-connection.ts';

/** A journal that could not be written is asked again so often. */
const MARK_AGAIN_MS = 5_000;

type CancelPorts = {
  /** The dictation's. */
  readonly id: string;
  readonly connection: Pick<WorkerConnection, 'worker'>;
  /** Aborted when the dictation is disposed of, or its page left. */
  readonly gone: AbortSignal;
  readonly clock: Clock;
  readonly log: Logger;
};

type Deliver = NonNullable<StartOptions['deliver']>;

/**
 * The cancel of a dictation, which may be undone: until that is decided its text is held back, and
 * the journal says so for whoever finds it when this page is gone.
 */
export function createCancel({ id, connection, gone, clock, log }: CancelPorts) {
  let fate: Deferred<boolean> | null = null;
  /** Settled once the journal does not say any more that it is cancelled. */
  const unmarked = createDeferred();

  async function mark(isCancelled: boolean): Promise<boolean> {
    const { api, call } = connection.worker();
    return call(api.cancelled(id, isCancelled)).then(
      () => true,
      (error: unknown) => {
        log.error('The journal could not be told of a cancel', error);
        return false;
      },
    );
  }

  async function unmark(): Promise<void> {
    while (!gone.aborted && !(await mark(false))) await sleep(clock, MARK_AGAIN_MS, gone);
    unmarked.resolve();
  }

  return {
    /** Holds the text back; the answer is told once what to do: true has it delivered. */
    begin(): (isWanted: boolean) => void {
      const decided = createDeferred<boolean>();
      fate = decided;
      void mark(true);
      return (isWanted) => {
        if (isWanted) void unmark();
        decided.resolve(isWanted);
      };
    },
    isBegun: (): boolean => fate !== null,
    /** True of a cancel that was undone; waits until that is decided. */
    isUndone: async (): Promise<boolean> => (await fate?.promise) === true,
    /**
     * Other tabs throw away what the journal calls cancelled: they may have what is left when that
     * is decided, and what is wanted after all is not called so any more.
     */
    async settled(): Promise<void> {
      if (fate && (await fate.promise)) await unmarked.promise;
    },
    /** A text that is thrown away counts as delivered: nothing of it is to wait for anybody. */
    holdingBack(give: Deliver): Deliver {
      return async (result, withdrawn) => {
        if (!fate || (await fate.promise)) return give(result, withdrawn);
        // However long that takes, it is thrown away now.
        void deliverNothing(give, 0, AbortSignal.abort());
        return true;
      };
    },
  };
}
