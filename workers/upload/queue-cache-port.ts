import type { DeliveryVerdict } from '../../src/core/contracts/dictation.ts';
import type { JournalCut } from '../../src/core/queue/journal-cut.ts';
import type {
  DoubtedState,
  HandedTexts,
  ItemChange,
  QueueItem,
  QueueItemHead,
  QueueItemState,
  QueueStore,
} from '../../src/core/queue/queue-item.ts';
import type { ChunkName } from './chunk-storing.ts';
import type { SettledHow } from './queue-tabs.ts';
import type { StoreWriterPorts } from './store-writer.ts';

/** What is to be stored of texts that are in the user's hands, in one step with their chunks. */
export type TextsOf = (
  items: readonly QueueItemHead[],
  verdict: Exclude<DeliveryVerdict, false>,
) => readonly HandedTexts[];

/** What a cache needs. `onStored`: other tabs may want to know. */
export type QueueCachePorts = StoreWriterPorts & {
  readonly store: QueueStore;
  /** Something is to be shown anew. */
  readonly onChange: () => void;
  /** A chunk leaves the queue for good, with what its recording gets. */
  readonly onSettled?: (id: string, how: SettledHow, texts: readonly HandedTexts[]) => void;
  /** @default nothing is */
  readonly textsOf?: TextsOf;
  /** Such texts have been stored. */
  readonly onHanded?: () => void;
  /** A chunk's text was handed over, and may not be all of it. */
  readonly onDoubted?: (id: string, state: DoubtedState, texts: readonly HandedTexts[]) => void;
};

/**
 * This tab's copy of the queue in memory, kept in step with the store. Memory changes at once, the
 * store right after; a store that fails is told about and stops nothing, and what it did not take
 * stays in memory. Nothing here rejects, except `fetch`.
 */
export type QueueCache = {
  /** All chunks known, as they were spoken. */
  list(): readonly QueueItemHead[];
  head(id: string): QueueItemHead | undefined;
  /**
   * Adds a chunk, and has its session's journal cut behind it in the same step; fulfilled when that
   * was tried. A session's chunks get into the store in the order of speech: behind one that the
   * store refuses, none does. The audio stays in memory until `forgetAudio`.
   */
  add(item: QueueItem, cut?: JournalCut | null): Promise<void>;
  /** A chunk with its audio; undefined if it is gone. Rejects with `storage-failed`. */
  fetch(id: string): Promise<QueueItem | undefined>;
  /**
   * The audio is in the store and not needed soon. Kept all the same if the store did not take it.
   */
  forgetAudio(id: string): void;
  /** Changes memory alone: what another start would find out anew. */
  note(id: string, state: QueueItemState): void;
  change(id: string, change: ItemChange): Promise<void>;
  remove(id: string, how: SettledHow): Promise<void>;
  /**
   * The texts are in the user's hands: the chunks go, or stay as doubted. In the same step goes the
   * journal of a session that is over, if memory alone has nothing of it; true if it is gone.
   */
  delivered(
    ids: readonly string[],
    verdict: Exclude<DeliveryVerdict, false>,
    overSessionId?: string | null,
  ): Promise<boolean>;
  /**
   * Another tab says that the chunk left the queue: a store that can't be read still has it, and
   * one that a dead tab did not write to.
   */
  settledElsewhere(id: string, durationSamples: number, texts: readonly HandedTexts[]): void;
  /** Another tab says that the chunk's text was handed over; the store may not know. */
  doubtedElsewhere(id: string, state: DoubtedState, texts: readonly HandedTexts[]): Promise<void>;
  /** Whether the store could be read the last time. */
  readonly isRead: boolean;
  /** Chunks that the store did not take. */
  readonly unstoredItems: number;
  /** Whether a chunk is on its way into the store: nobody knows yet whether it takes it. */
  isOnItsWay(id: string): boolean;
  /** Whether memory alone has a chunk. */
  isUnstored(id: string): boolean;
  /** Has the journal cut behind a chunk that is in the store already; fulfilled when tried. */
  cut(chunk: ChunkName, cut: JournalCut | null): Promise<void>;
  /** Whether memory alone has something of a session: a chunk, or how far its journal is cut. */
  hasUnstored(sessionId: string): boolean;
  /**
   * Takes over what the store holds: chunks of other tabs and earlier days. Where this tab is at
   * work (`isOurs`) its own knowledge stands. What the store did not take or remove before is tried
   * again.
   */
  load(isOurs: (id: string) => boolean): Promise<void>;
};
