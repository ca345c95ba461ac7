import type { CancelTimer, Clock } from '../../src/core/clock.ts';
import { toErrorInfo } from '../../src/core/errors.ts';
import type { Logger } from '../../src/core/logger.ts';
import type { QueueTabs } from './queue-tabs.ts';

/** How often a tab with something to send asks whether the one whose turn it is lives. */
const ASK_SENDER_MS = 5_000;

/** A tab that has not answered so often is suspended: it keeps its lock and sends nothing. */
const UNANSWERED_ASKS = 3;

/** What a turn needs. */
export type DrainTurnPorts = {
  readonly tabs: Pick<QueueTabs, 'takeDrain' | 'post'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Whether something waits that this tab could send. */
  readonly hasWork: () => boolean;
  readonly onTurn: () => void;
};

/**
 * This tab's turn to send what waits: one tab has it at a time. It is taken from a tab that is
 * suspended; should that one wake in the middle of a request, the server is asked twice for one
 * key, and does the work once.
 */
export type DrainTurn = ReturnType<typeof createDrainTurn>;

/** Makes a turn that nobody has asked for. */
export function createDrainTurn(ports: DrainTurnPorts) {
  const { tabs, clock, log, hasWork, onTurn } = ports;
  let waiting: AbortController | null = null;
  let release: (() => void) | undefined;
  let isDisposed = false;
  let unanswered = 0;
  let cancelAsking: CancelTimer = () => {};

  async function wait(isStolen: boolean): Promise<void> {
    const own = new AbortController();
    waiting = own;
    try {
      const taken = await tabs.takeDrain(own.signal, { isStolen, onLost });
      if (own.signal.aborted) return taken?.();
      release = taken;
      cancelAsking();
      onTurn();
    } catch (thrown) {
      log.error('The queue cannot be drained', toErrorInfo(thrown, 'storage-failed'));
    }
  }

  function onLost(): void {
    if (isDisposed || !release) return;
    release = undefined;
    log.warn('Another tab sends what waits: this one was suspended');
    begin();
  }

  function begin(): void {
    unanswered = 0;
    void wait(false);
    askSenderLater();
  }

  function askSenderLater(): void {
    cancelAsking();
    cancelAsking = clock.after(ASK_SENDER_MS, () => {
      if (release || isDisposed) return;
      if (!hasWork()) unanswered = 0;
      else if (unanswered < UNANSWERED_ASKS) {
        unanswered += 1;
        tabs.post({ kind: 'sender-asked' });
      } else {
        waiting?.abort();
        unanswered = 0;
        void wait(true);
      }
      askSenderLater();
    });
  }

  return {
    /** Waits for it, from the first call on. */
    ask() {
      if (!waiting) begin();
    },
    get isOurs(): boolean {
      return release !== undefined;
    },
    /** Another tab asks whether the one that sends lives. */
    answer() {
      if (release) tabs.post({ kind: 'sender-lives' });
    },
    /** The one that sends lives. */
    heard() {
      unanswered = 0;
    },
    /** Gives it back, or up waiting for it. */
    dispose() {
      isDisposed = true;
      cancelAsking();
      waiting?.abort();
      release?.();
    },
  };
}
