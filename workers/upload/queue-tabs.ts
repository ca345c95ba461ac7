import type { CancelTimer, Clock } from '../../src/core/clock.ts';
import { toErrorInfo } from '../../src/core/errors.ts';
import type { Logger } from '../../src/core/logger.ts';
import { isDeletedBy, type Owner, type OwnerScope, ownerName } from '../../src/core/queue/owner.ts';
import type { Delivery } from '../../src/core/queue/queue-item.ts';

/** Messages of one tab's queue to those of other tabs. */
export type QueueMessage =
  /** The store holds something new. */
  | { readonly kind: 'stored' }
  /** The network may be back. */
  | { readonly kind: 'wake' }
  /** `sender-asked`: does the tab that sends live? `sender-lives` is its answer: yes. */
  | { readonly kind: 'sender-asked' | 'sender-lives' }
  /**
   * The user wants one chunk, or (null) everything, tried now, a server that refused us included.
   */
  | { readonly kind: 'retry'; readonly itemId: string | null }
  /** A chunk left the queue: the user threw it away, or its text is where it was wanted. */
  | {
      readonly kind: 'settled';
      readonly id: string;
      readonly how: SettledHow;
      readonly durationSamples: number;
    }
  /**
   * Texts are in the user's hands. Told before the store knows: a tab that dies with it has said
   * what is to be stored.
   */
  | { readonly kind: 'delivered'; readonly delivery: Delivery }
  /**
   * The user wants nothing kept, in no tab's memory either, but what was spared or has begun since.
   */
  | {
      readonly kind: 'wiped';
      readonly spared: ReadonlySet<string>;
      readonly askedAtMs: number;
    };

/** The way in which a chunk left the queue for good. */
export type SettledHow = 'delivered' | 'deleted';

/** Options of taking the turn to send. */
type TakeDrain = {
  /** From a tab that has it and is suspended. */
  readonly isStolen: boolean;
  /** Called when another tab has taken it from this one. */
  readonly onLost: () => void;
};

/** The other tabs of this origin, as far as the queue must know of them. */
export type QueueTabs = {
  /**
   * Waits for this tab's turn to send what waits: fulfilled when no other tab does, with what gives
   * the turn back; undefined if the signal was aborted.
   */
  takeDrain(signal: AbortSignal, how: TakeDrain): Promise<(() => void) | undefined>;
  /** True if no tab has that session open: its chunks are everybody's. */
  isOrphan(dictationId: string): Promise<boolean>;
  /** Takes the right to insert a session's text; undefined if another tab has it. */
  takeClaim(dictationId: string): Promise<(() => void) | undefined>;
  /**
   * True if some page, this tab's included, records that session or holds the place of its text.
   */
  isNeeded(dictationId: string): Promise<boolean>;
  /** Tells the other tabs. */
  post(message: QueueMessage): void;
  /** Hears the other tabs, until the signal is aborted. */
  listen(listener: (message: QueueMessage) => void, signal: AbortSignal): void;
};

/** There is no other tab. */
export const NO_OTHER_TABS: QueueTabs = {
  takeDrain: async () => () => {},
  isOrphan: async () => true,
  takeClaim: async () => () => {},
  isNeeded: async () => false,
  post: () => {},
  listen: () => {},
};

const CHANNEL_NAME = 'diktera';

/**
 * Makes `post` and `listen` on a BroadcastChannel. Those share it who are the same owner as it is
 * made: a server that tells two of them apart later may have named another in the other tab.
 */
export function createQueueChannel(
  scope: Pick<OwnerScope, 'owner'>,
): Pick<QueueTabs, 'post' | 'listen'> {
  const channel = new BroadcastChannel(CHANNEL_NAME + ownerName(scope.owner));
  return {
    post: (message) => channel.postMessage({ ...message, by: scope.owner }),
    listen(listener, signal) {
      channel.addEventListener(
        'message',
        ({ data: { by, ...message } }: MessageEvent<QueueMessage & { readonly by?: Owner }>) => {
          if (message.kind !== 'wiped' || isDeletedBy(scope, by)) listener(message);
        },
        { signal },
      );
      signal.addEventListener('abort', () => channel.close());
    },
  };
}

/** Interval at which a tab with something to send asks whether the one whose turn it is lives. */
const ASK_SENDER_MS = 5_000;

/** A tab that has not answered so often is suspended: it keeps its lock and sends nothing. */
const UNANSWERED_ASKS = 3;

/** Ports of a turn. */
type DrainTurnPorts = {
  readonly tabs: Pick<QueueTabs, 'takeDrain' | 'post'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** True if something waits that this tab could send. */
  readonly hasWork: () => boolean;
  readonly onTurn: () => void;
};

/**
 * Makes this tab's turn to send, which nobody has asked for yet: one tab has it at a time. It is
 * taken from a tab that is suspended; should that one wake in the middle of a request, the server
 * is asked twice for one key, and does the work once.
 */
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
