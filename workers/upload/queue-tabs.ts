import { isDeletedBy, type Owner, type OwnerScope, ownerName } from '../../src/core/queue/owner.ts';
import type { Delivery } from '../../src/core/queue/queue-item.ts';

/** What one tab's queue says to those of other tabs. */
export type QueueMessage =
  /** The store holds something new. */
  | { readonly kind: 'stored' }
  /** The network may be back. */
  | { readonly kind: 'wake' }
  /** Whether the tab that sends lives, and that it does. */
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
  /** The user wants nothing kept, in no tab's memory either. */
  | { readonly kind: 'wiped'; readonly spared: ReadonlySet<string> };

/** How a chunk left the queue for good. */
export type SettledHow = 'delivered' | 'deleted';

/** How the turn to send is taken. */
export type TakeDrain = {
  /** From a tab that has it and is suspended. */
  readonly isStolen: boolean;
  /** Told when another tab has taken it from this one. */
  readonly onLost: () => void;
};

/** The other tabs of this origin, as far as the queue must know of them. */
export type QueueTabs = {
  /**
   * Waits for this tab's turn to send what waits: fulfilled when no other tab does, with what gives
   * the turn back; undefined if the signal was aborted.
   */
  takeDrain(signal: AbortSignal, how: TakeDrain): Promise<(() => void) | undefined>;
  /** Whether no tab has that session open: its chunks are everybody's. */
  isOrphan(dictationId: string): Promise<boolean>;
  /** Takes the right to insert a session's text; undefined if another tab has it. */
  takeClaim(dictationId: string): Promise<(() => void) | undefined>;
  /**
   * Whether some page, this tab's included, records that session or holds the place of its text.
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
