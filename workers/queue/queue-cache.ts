import type { DeliveryVerdict } from '../../src/core/contracts/dictation.ts';
import {
  compareQueueItems,
  type ItemChange,
  isWanting,
  type QueueItem,
  type QueueItemHead,
  type QueueItemState,
  type QueueStore,
} from '../../src/core/queue/queue-item.ts';
import type { SettledHow } from './queue-tabs.ts';
import { createStoreWriter, type StoreWriterPorts } from './store-writer.ts';
import { afterDelivery } from './text-doubt.ts';

/** What a cache needs. `onStored`: other tabs may want to know. */
export type QueueCachePorts = StoreWriterPorts & {
  readonly store: QueueStore;
  /** Something is to be shown anew. */
  readonly onChange: () => void;
  /** A chunk left the queue for good. */
  readonly onSettled?: (id: string, how: SettledHow) => void;
  /** A chunk's parts stand in its place. */
  readonly onReplaced?: (id: string, parts: readonly QueueItemHead[]) => void;
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
  /** Adds a chunk; true when it is stored. Its audio stays in memory until `forgetAudio`. */
  add(item: QueueItem): Promise<boolean>;
  /** A chunk with its audio; undefined if it is gone. Rejects with `storage-failed`. */
  fetch(id: string): Promise<QueueItem | undefined>;
  /**
   * The audio is in the store and not needed soon. Kept all the same if the store did not take it.
   */
  forgetAudio(id: string): void;
  /** Changes memory alone: what another start would find out anew. */
  note(id: string, state: QueueItemState): void;
  change(id: string, change: ItemChange): Promise<void>;
  replace(id: string, parts: readonly QueueItem[]): Promise<void>;
  remove(id: string, how: SettledHow): Promise<void>;
  /** The text is in the user's hands: the chunk goes, or stays as doubted. */
  delivered(id: string, verdict: Exclude<DeliveryVerdict, false>): Promise<void>;
  /** Whether the store could be read the last time. */
  readonly isRead: boolean;
  /** Chunks that the store did not take. */
  readonly unstoredItems: number;
  /** Whether a chunk, or a part of it, is one of them. */
  isUnstored(id: string): boolean;
  /**
   * Takes over what the store holds: chunks of other tabs and earlier days. Where this tab is at
   * work (`isOurs`) its own knowledge stands. What the store did not take or remove before is tried
   * again.
   */
  load(isOurs: (id: string) => boolean): Promise<void>;
};

/** An empty cache; `load` fills it. */
export function createQueueCache(ports: QueueCachePorts): QueueCache {
  const { store, onChange } = ports;
  const { onSettled = () => {}, onReplaced = () => {} } = ports;
  const { write, read } = createStoreWriter(ports);
  const heads = new Map<string, QueueItemHead>();
  const audios = new Map<string, QueueItem['audio']>();
  /** Puts under way, by chunk: until one has succeeded the store need not hold what memory does. */
  const putting = new Map<string, number>();
  /** Not in the store, though they should be. */
  const unstored = new Set<string>();
  /** Changes that are not in the store yet: what it says of these chunks is older. */
  const unwritten = new Map<string, ItemChange>();
  /** Chunks in the store in whose place stand these parts, which are not there yet. */
  const unreplaced = new Map<string, Set<string>>();
  /** Removed here: a store that could not do it must not bring them back. */
  const gone = new Set<string>();
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

  function setItem({ audio, ...head }: QueueItem): void {
    audios.set(head.id, audio);
    gone.delete(head.id);
    setHead(head);
  }

  function forget(id: string): void {
    heads.delete(id);
    audios.delete(id);
    unstored.delete(id);
    unwritten.delete(id);
    for (const parts of unreplaced.values()) parts.delete(id);
    onChange();
  }

  function isAwaitingStore(id: string): boolean {
    return putting.has(id) || unstored.has(id);
  }

  /** What the store did not take before, it may take now. */
  async function storeAgain(): Promise<void> {
    for (const id of [...unreplaced.keys()]) if (!(await storeParts(id))) return;
    for (const id of [...unstored]) if (!(await putAgain(id))) return;
    for (const id of [...unwritten.keys()]) if (!(await update(id, {}))) return;
  }

  async function putAgain(id: string): Promise<boolean> {
    const [head, audio] = [heads.get(id), audios.get(id)];
    if (!head || !audio || putting.has(id) || isPart(id)) return true;
    return put({ ...head, audio });
  }

  /** Whether it is one of those that get into the store in the place of the whole, all at once. */
  function isPart(id: string): boolean {
    return [...unreplaced.values()].some((parts) => parts.has(id));
  }

  /** What is to be stored is marked before it is tried: whatever is read meanwhile is older. */
  async function put(item: QueueItem): Promise<boolean> {
    const { id } = item;
    putting.set(id, (putting.get(id) ?? 0) + 1);
    const isStored = await write('put', () => store.put(item));
    const others = (putting.get(id) ?? 1) - 1;
    if (others > 0) putting.set(id, others);
    else putting.delete(id);
    touch(id);
    if (!heads.has(id)) return isStored;
    if (isStored) unstored.delete(id);
    else unstored.add(id);
    onChange();
    return isStored;
  }

  async function change(id: string, values: ItemChange): Promise<void> {
    const head = heads.get(id);
    if (!head) return;
    const changed = { ...head, ...values };
    setHead(changed);
    const audio = audios.get(id);
    if (isPart(id)) return; // Goes with the others.
    if (unstored.has(id) && audio) await put({ ...changed, audio });
    else await update(id, values);
  }

  async function update(id: string, values: ItemChange): Promise<boolean> {
    const all = { ...unwritten.get(id), ...values };
    unwritten.set(id, all);
    const isWritten = await write('update', () => store.update(id, all));
    touch(id);
    if (isWritten && unwritten.get(id) === all) unwritten.delete(id);
    return isWritten;
  }

  /** Puts the parts in the place of the whole, which is in the store until then. */
  async function storeParts(id: string): Promise<boolean> {
    const partIds = unreplaced.get(id);
    if (!partIds) return true;
    const parts = [...partIds].flatMap((partId) => {
      const [head, audio] = [heads.get(partId), audios.get(partId)];
      return head && audio ? [{ ...head, audio }] : [];
    });
    const isStored = await write('replace', () => store.replace(id, parts));
    if (!isStored || unreplaced.get(id) !== partIds) return isStored;
    unreplaced.delete(id);
    gone.add(id);
    for (const part of parts) {
      touch(part.id);
      unstored.delete(part.id);
      const now = heads.get(part.id);
      // What became of it meanwhile.
      if (!now) void write('remove', () => store.remove(part.id));
      else if (now.state !== part.state)
        void update(part.id, { rounds: now.rounds, state: now.state });
    }
    onChange();
    return true;
  }

  async function remove(id: string, how: SettledHow): Promise<void> {
    onSettled(id, how);
    forget(id);
    gone.add(id);
    await write('remove', () => store.remove(id));
  }

  return {
    list: () => [...heads.values()].sort(compareQueueItems),
    head: (id) => heads.get(id),
    add(item) {
      setItem(item);
      return put(item);
    },
    async fetch(id) {
      const head = heads.get(id);
      const audio = audios.get(id);
      if (head && audio) return { ...head, audio };
      const item = await store.get(id);
      if (!item && heads.delete(id)) onChange();
      return item && { ...item, ...heads.get(id) };
    },
    forgetAudio(id) {
      if (!isAwaitingStore(id)) audios.delete(id);
    },
    note(id, state) {
      const head = heads.get(id);
      if (head) setHead({ ...head, state });
    },
    change,
    async replace(id, parts) {
      const wasStored = !isAwaitingStore(id);
      const whole = [...unreplaced.values()].find((others) => others.has(id));
      onReplaced(id, parts);
      forget(id);
      for (const part of parts) {
        whole?.add(part.id);
        unstored.add(part.id);
        setItem(part);
      }
      if (whole) return;
      if (wasStored) {
        unreplaced.set(id, new Set(parts.map((part) => part.id)));
        await storeParts(id);
        return;
      }
      gone.add(id);
      for (const part of parts) await put(part);
    },
    get isRead() {
      return isRead;
    },
    get unstoredItems() {
      return unstored.size;
    },
    isUnstored: (id) =>
      [...unstored, ...putting.keys()].some((other) => other === id || other.startsWith(`${id}-`)),
    remove,
    async delivered(id, verdict) {
      const head = heads.get(id);
      // A person asked for the text anew: the delivered one is not the one it waits for.
      if (head && head.asks > 0 && isWanting(head.state)) return;
      const state = head ? afterDelivery(head.state, verdict) : null;
      await (state ? change(id, { state }) : remove(id, 'delivered'));
    },
    async load(isOurs) {
      const changed = new Set<string>();
      changedMeanwhile.add(changed);
      const stored = await read('list', () => store.list());
      isRead = stored !== null;
      changedMeanwhile.delete(changed);
      if (!stored) return;
      const isKnownBetter = (id: string) =>
        isOurs(id) || changed.has(id) || isAwaitingStore(id) || unwritten.has(id);
      const found = new Map(stored.map((head) => [head.id, toLoaded(head)]));
      for (const id of heads.keys()) if (!found.has(id) && !isKnownBetter(id)) forget(id);
      for (const [id, head] of found) {
        if (gone.has(id)) void write('remove', () => store.remove(id));
        else if (!isKnownBetter(id) && !unreplaced.has(id)) heads.set(id, head);
      }
      void storeAgain();
      onChange();
    },
  };
}

/** The sender is dead, or another tab, which does not share its state. */
function toLoaded(head: QueueItemHead): QueueItemHead {
  if (head.state.kind !== 'sending') return head;
  return { ...head, state: { kind: 'waiting', nextAttemptAtMs: 0, lastError: null } };
}
