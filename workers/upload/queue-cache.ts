import type { Clock } from '../../src/core/clock.ts';
import type { DeliveryVerdict } from '../../src/core/contracts/dictation.ts';
import {
  type ChunkState,
  compareQueueItems,
  type DeliveredText,
  type Delivery,
  type DictationStart,
  deliveredText,
  type ItemChange,
  isBeingSent,
  isClosed,
  isForReview,
  isWanting,
  type JournalCut,
  type QueueItem,
  type QueueItemHead,
  wordsOf,
} from '../../src/core/queue/queue-item.ts';
import { type ChunkName, createOverflow, type OverflowPorts } from './overflow.ts';
import type { QueueMessage, SettledHow } from './queue-tabs.ts';
import { afterDelivery } from './transcribe-request.ts';

export type QueueCachePorts = Omit<
  OverflowPorts,
  'itemOf' | 'isThere' | 'onTried' | 'onClosed' | 'onDelivered'
> & {
  readonly clock: Pick<Clock, 'nowMs'>;
  /** A chunk leaves the queue for good. */
  readonly onSettled?: (id: string, how: SettledHow) => void;
  /** Tells the other tabs, before the store knows. @default nobody hears it */
  readonly tell?: (message: QueueMessage) => void;
  /**
   * Begins the record of a retained dictation of which nothing is stored yet; null (default): it is
   * not retained.
   */
  readonly startOf?: (dictationId: string) => DictationStart | null;
  /** The store knows of texts that are in the user's hands. */
  readonly onDelivered?: () => void;
};

/**
 * This tab's copy of the queue in memory, kept in step with the store: chunks that are delivered
 * are in the store alone. Memory changes at once, the store right after; a store that fails is told
 * about and stops nothing, and what it did not take stays in memory. Nothing here rejects, except
 * `fetch`.
 */
export type QueueCache = ReturnType<typeof createQueueCache>;

/**
 * The delivered text of a chunk, which stays in its dictation until the text asked for again comes.
 */
export function formerOf(head: QueueItemHead): { readonly former?: DeliveredText } {
  const text = deliveredText(head);
  return text ? { former: wordsOf(text) } : {};
}

/** An empty cache; `load` fills it. */
export function createQueueCache(ports: QueueCachePorts) {
  const { store, clock, onChange, startOf = () => null } = ports;
  const { onSettled = () => {}, tell = () => {}, onDelivered = () => {} } = ports;
  const heads = new Map<string, QueueItemHead>();
  const audios = new Map<string, QueueItem['audio']>();
  const overflow = createOverflow({
    ...ports,
    itemOf,
    isThere: (id) => heads.has(id),
    onTried: touch,
    onClosed({ id, durationSamples }) {
      // Cut anew once more meanwhile, it may be another.
      if (heads.get(id)?.durationSamples !== durationSamples) return;
      onSettled(id, 'delivered');
      overflow.noteGone(id, durationSamples);
      forget(id);
    },
    onDelivered,
  });
  /** For each load under way, what was changed here since it began: what it reads is older. */
  const changedMeanwhile = new Set<Set<string>>();
  let isRead = false;

  function touch(id: string): void {
    for (const changed of changedMeanwhile) changed.add(id);
  }

  function setHead(head: QueueItemHead): void {
    heads.set(head.id, head);
    touch(head.id);
    onChange();
  }

  function forget(id: string): void {
    const wasThere = heads.delete(id);
    audios.delete(id);
    overflow.forgetChange(id);
    touch(id);
    if (wasThere) overflow.left(id);
    onChange();
  }

  function itemOf(id: string): QueueItem | undefined {
    const [head, audio] = [heads.get(id), audios.get(id)];
    return head && audio && { ...head, audio };
  }

  /** True if memory alone has a chunk that is there, or its newest form. */
  const isUnstored = (id: string): boolean => heads.has(id) && overflow.stateOf(id) !== null;

  const hasUnstoredItem = (dictationId: string): boolean =>
    [...heads.values()].some((head) => head.dictationId === dictationId && isUnstored(head.id));

  async function change(id: string, values: ItemChange): Promise<void> {
    const head = heads.get(id);
    if (!head) return;
    setHead({ ...head, ...values });
    await overflow.change(head, values);
  }

  function note(id: string, state: ChunkState): void {
    const head = heads.get(id);
    if (head) setHead({ ...head, state });
  }

  /** A longer chunk was cut anew in another tab: the state known here is of another chunk. */
  function takeOver(head: QueueItemHead, isKnownBetter: boolean): void {
    const { id, durationSamples } = head;
    const known = heads.get(id)?.durationSamples ?? Number.POSITIVE_INFINITY;
    const isCutAnew = durationSamples > known && !isUnstored(id);
    if (isKnownBetter && !isCutAnew) return;
    if (isCutAnew) {
      audios.delete(id);
      overflow.forgetChange(id);
    }
    heads.set(id, head);
  }

  /** Takes chunks out of memory, or has them stay for their audio; true if the store is to know. */
  function apply(delivery: Delivery, chunk: QueueItemHead): boolean {
    const { id, state, durationSamples } = chunk;
    if (isClosed(state)) {
      onSettled(id, 'delivered');
      overflow.noteGone(id, durationSamples, { ...delivery, chunks: [chunk], isOver: false });
      forget(id);
      return true;
    }
    const isPut = isUnstored(id);
    if (isPut) void change(id, { state });
    else note(id, state);
    return !isPut;
  }

  async function fetchStored(id: string): Promise<QueueItem | undefined> {
    const item = await store.get(id);
    if (!item && heads.has(id) && !isUnstored(id)) forget(id);
    return item && { ...item, ...heads.get(id) };
  }

  return {
    /** All chunks known, as they were spoken. */
    list: (): readonly QueueItemHead[] => [...heads.values()].sort(compareQueueItems),
    head: (id: string): QueueItemHead | undefined => heads.get(id),
    /**
     * Adds a chunk, and has its session's journal cut behind it in the same step; fulfilled when
     * that was tried. The audio stays in memory until `forgetAudio`.
     */
    async add({ audio, ...head }: QueueItem, cut: JournalCut | null = null): Promise<void> {
      // Noted first: whoever sees the chunk must not take it for stored.
      const tried = overflow.add(head, cut);
      audios.set(head.id, audio);
      overflow.forgetGone(head.id);
      setHead(head);
      await tried;
    },
    /** A chunk with its audio; undefined if it is gone. Rejects with `storage-failed`. */
    async fetch(id: string): Promise<QueueItem | undefined> {
      return itemOf(id) ?? (await fetchStored(id));
    },
    /** False if another tab has taken it out of the store; true where that cannot be seen. */
    async isStillThere(id: string): Promise<boolean> {
      if (!isUnstored(id)) await fetchStored(id).catch(() => {});
      return heads.has(id);
    },
    /** The audio is in the store and not needed soon; kept if the store did not take it. */
    forgetAudio(id: string): void {
      if (!isUnstored(id)) audios.delete(id);
    },
    /** Changes memory alone: what another start would find out anew. */
    note,
    change,
    /** True if the store could be read the last time. */
    get isRead(): boolean {
      return isRead;
    },
    /** Chunks that the store did not take. */
    get unstoredItems(): number {
      return [...heads.keys()].filter((id) => overflow.stateOf(id) === 'refused').length;
    },
    /** True if a chunk is on its way into the store: nobody knows yet whether it takes it. */
    isOnItsWay: (id: string): boolean => heads.has(id) && overflow.stateOf(id) === 'on-its-way',
    isUnstored,
    /** True if memory alone has something of a session: a chunk, or how far its journal is cut. */
    hasUnstored: (dictationId: string): boolean => overflow.hasOf(dictationId),
    /** Has the journal cut behind a chunk that is in the store already; fulfilled when tried. */
    cut: (chunk: ChunkName, cut: JournalCut | null): Promise<void> => overflow.add(chunk, cut),
    async remove(id: string, how: SettledHow): Promise<void> {
      const durationSamples = heads.get(id)?.durationSamples;
      onSettled(id, how);
      tell({ kind: 'settled', id, how, durationSamples: durationSamples ?? 0 });
      overflow.noteGone(id, durationSamples ?? Number.POSITIVE_INFINITY);
      forget(id);
      await overflow.remove(id);
    },
    /**
     * The texts are in the user's hands: those chunks go, or stay to be reviewed. In the same step
     * goes the journal of a dictation that is over, if memory alone has nothing of it; true if it
     * is gone.
     */
    async markDelivered(
      verdicts: ReadonlyMap<string, Exclude<DeliveryVerdict, false>>,
      overId: string | null = null,
    ): Promise<boolean> {
      // A person asked for the text anew: the delivered one is not the one it waits for.
      const isAsked = ({ asks, state }: QueueItemHead) => asks > 0 && isWanting(state);
      const own = [...verdicts.keys()]
        .flatMap((id) => heads.get(id) ?? [])
        .filter((head) => !isAsked(head));
      const dictationId = overId ?? own[0]?.dictationId;
      if (dictationId === undefined) return false;
      const delivery: Delivery = {
        dictationId,
        chunks: own.map((head) => ({
          ...head,
          state: afterDelivery(head, verdicts.get(head.id) ?? true),
        })),
        atMs: own.length > 0 ? clock.nowMs() : null,
        start: startOf(dictationId),
        isOver: false,
      };
      if (own.length > 0) tell({ kind: 'delivered', delivery });
      const chunks = delivery.chunks.filter((chunk) => apply(delivery, chunk));
      const isOver = overId !== null && !hasUnstoredItem(dictationId);
      if (isOver) overflow.forgetSession(dictationId);
      else if (own.length === 0) return false;
      return (await overflow.markDelivered({ ...delivery, chunks, isOver })) && isOver;
    },
    /** Another tab says that the chunk left the queue; the store may not know. */
    settledElsewhere(id: string, durationSamples: number): void {
      // Not known here, or not as long: it may be read yet.
      overflow.noteGone(id, durationSamples);
      if (heads.has(id)) forget(id);
    },
    /** Another tab says that texts are in the user's hands; the store may not know. */
    deliveredElsewhere(delivery: Delivery): void {
      const isNews = ({ id, state }: QueueItemHead): boolean =>
        isClosed(state) || heads.get(id)?.state.kind === 'answered';
      const untold = delivery.chunks
        .filter((chunk) => isNews(chunk) && apply(delivery, chunk))
        // A chunk that has left the queue is marked if the next read of the store still finds it.
        .filter(({ state }) => isForReview(state));
      if (untold.length > 0)
        void overflow.markDelivered({ ...delivery, chunks: untold, isOver: false });
    },
    /**
     * Takes over the store's chunks: those of other tabs and earlier days. For this tab's
     * dictations (`isOurs`) its own state wins. Writes and removals that the store refused before
     * are tried again.
     */
    async load(isOurs: (id: string) => boolean): Promise<void> {
      const changed = new Set<string>();
      changedMeanwhile.add(changed);
      const stored = (await overflow.attempt('list', () => store.list()))?.result ?? null;
      isRead = stored !== null;
      changedMeanwhile.delete(changed);
      if (!stored) return;
      const isKnownBetter = (id: string) => isOurs(id) || changed.has(id) || overflow.has(id);
      const found = new Map(stored.map((head) => [head.id, toLoaded(head)]));
      for (const id of heads.keys()) if (!found.has(id) && !isKnownBetter(id)) forget(id);
      for (const [id, head] of found) {
        if (overflow.isGone(head)) overflow.removeGone(head);
        else takeOver(head, isKnownBetter(id));
      }
      void overflow.retry();
      onChange();
    },
  };
}

/** The sender is dead, or another tab, which does not share its state. */
function toLoaded(head: QueueItemHead): QueueItemHead {
  if (!isBeingSent(head.state)) return head;
  return { ...head, state: { kind: 'pending', nextAttemptAtMs: 0, lastError: null } };
}
