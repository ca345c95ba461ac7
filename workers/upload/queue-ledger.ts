import type { DeliveryVerdict } from '../../src/core/dictation.ts';
import { type ErrorInfo, toErrorInfo } from '../../src/core/errors.ts';
import type { Logger } from '../../src/core/logger.ts';
import {
  compareQueueItems,
  type ItemChange,
  type QueueItem,
  type QueueItemHead,
  type QueueItemState,
  type QueueStore,
} from '../../src/core/queue-item.ts';
import type { SettledHow } from './queue-tabs.ts';
import { afterDelivery } from './text-doubt.ts';

/** What a ledger needs. */
export type QueueLedgerPorts = {
  readonly store: QueueStore;
  readonly log: Logger;
  /** Something is to be shown anew. */
  readonly onChange: () => void;
  /** Something was stored that other tabs may want to know. */
  readonly onStored: () => void;
  /** A chunk left the queue for good. */
  readonly onSettled?: (id: string, how: SettledHow) => void;
  /** A chunk's parts stand in its place. */
  readonly onReplaced?: (id: string, parts: readonly QueueItemHead[]) => void;
  /** Storage failed, or (null) works again. */
  readonly onStorage: (error: ErrorInfo | null) => void;
};

/**
 * What this tab knows of the queue, kept in step with the store. Memory changes at once, the store
 * right after; a store that fails is told about and stops nothing, and what it did not take stays
 * in memory. Nothing here rejects, except `fetch`.
 */
export type QueueLedger = {
  /** All chunks known, as they were spoken. */
  list(): readonly QueueItemHead[];
  head(id: string): QueueItemHead | undefined;
  /** Adds a chunk; true when it is stored. Its audio stays in memory until `forgetAudio`. */
  add(item: QueueItem): Promise<boolean>;
  /** A chunk with its audio; undefined if it is gone. Rejects with `storage-failed`. */
  fetch(id: string): Promise<QueueItem | undefined>;
  /** The audio is in the store and not needed soon. Kept all the same if the store did not take it. */
  forgetAudio(id: string): void;
  /** Changes memory alone: what another start would find out anew. */
  note(id: string, state: QueueItemState): void;
  change(id: string, change: ItemChange): Promise<void>;
  replace(id: string, parts: readonly QueueItem[]): Promise<void>;
  remove(id: string, how: SettledHow): Promise<void>;
  /** Its text is in the user's hands: it goes, or stays as doubted. */
  delivered(id: string, verdict: Exclude<DeliveryVerdict, false>): Promise<void>;
  /** Chunks that the store did not take. */
  readonly unstoredItems: number;
  /** Whether a chunk, or a part of it, is one of them. */
  isUnstored(id: string): boolean;
  /**
   * Takes over what the store holds: chunks of other tabs and earlier days. Where this tab is at work
   * (`isOurs`) its own knowledge stands. What the store did not take or remove before is tried again.
   */
  load(isOurs: (id: string) => boolean): Promise<void>;
};

/** An empty ledger; `load` fills it. */
export function createQueueLedger(ports: QueueLedgerPorts): QueueLedger {
  const { store, log, onChange, onStored, onStorage } = ports;
  const { onSettled = () => {}, onReplaced = () => {} } = ports;
  const heads = new Map<string, QueueItemHead>();
  const audios = new Map<string, QueueItem['audio']>();
  /** Not in the store, though they should be. */
  const unstored = new Set<string>();
  /** Removed here: a store that could not do it must not bring them back. */
  const gone = new Set<string>();
  /** For each load under way, what was changed here since it began: what it reads is older. */
  const changedMeanwhile = new Set<Set<string>>();
  let isStorageFailing = false;

  function setHead(head: QueueItemHead): void {
    heads.set(head.id, head);
    for (const changed of changedMeanwhile) changed.add(head.id);
    onChange();
  }

  function setItem({ audio, ...head }: QueueItem): void {
    audios.set(head.id, audio);
    gone.delete(head.id);
    setHead(head);
  }

  function drop(id: string): void {
    heads.delete(id);
    audios.delete(id);
    unstored.delete(id);
    gone.add(id);
    onChange();
  }

  function noteFailure(what: string, thrown: unknown): void {
    const error = toErrorInfo(thrown, 'storage-failed');
    log.error(`Queue storage: ${what} failed`, error);
    isStorageFailing = true;
    onStorage(error);
  }

  function noteSuccess(): void {
    if (isStorageFailing) onStorage(null);
    isStorageFailing = false;
  }

  /** Whether it worked. */
  async function write(what: string, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
    } catch (thrown) {
      noteFailure(what, thrown);
      return false;
    }
    noteSuccess();
    onStored();
    return true;
  }

  /** What the store did not take before, it may take now. */
  async function storeAgain(): Promise<void> {
    for (const id of [...unstored]) {
      const [head, audio] = [heads.get(id), audios.get(id)];
      if (head && audio && !(await put({ ...head, audio }))) return;
    }
  }

  async function put(item: QueueItem): Promise<boolean> {
    const isStored = await write('put', () => store.put(item));
    if (!heads.has(item.id)) return isStored;
    if (isStored) unstored.delete(item.id);
    else unstored.add(item.id);
    onChange();
    return isStored;
  }

  async function change(id: string, values: ItemChange): Promise<void> {
    const head = heads.get(id);
    if (!head) return;
    const changed = { ...head, ...values };
    setHead(changed);
    const audio = audios.get(id);
    if (unstored.has(id) && audio) await put({ ...changed, audio });
    else await write('update', () => store.update(id, values));
  }

  async function remove(id: string, how: SettledHow): Promise<void> {
    onSettled(id, how);
    drop(id);
    await write('remove', () => store.remove(id));
  }

  /** Null if it failed. */
  async function readStored(): Promise<readonly QueueItemHead[] | null> {
    try {
      const stored = await store.list();
      noteSuccess();
      return stored;
    } catch (thrown) {
      noteFailure('list', thrown);
      return null;
    }
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
      if (!unstored.has(id)) audios.delete(id);
    },
    note(id, state) {
      const head = heads.get(id);
      if (head) setHead({ ...head, state });
    },
    change,
    async replace(id, parts) {
      const wasStored = !unstored.has(id);
      onReplaced(id, parts);
      drop(id);
      for (const part of parts) setItem(part);
      if (!wasStored) {
        for (const part of parts) await put(part);
        return;
      }
      const isStored = await write('replace', () => store.replace(id, parts));
      if (!isStored) for (const part of parts) unstored.add(part.id);
    },
    get unstoredItems() {
      return unstored.size;
    },
    isUnstored: (id) => [...unstored].some((other) => other === id || other.startsWith(`${id}-`)),
    remove,
    async delivered(id, verdict) {
      const head = heads.get(id);
      const state = head ? afterDelivery(head.state, verdict) : null;
      await (state ? change(id, { state }) : remove(id, 'delivered'));
    },
    async load(isOurs) {
      const changed = new Set<string>();
      changedMeanwhile.add(changed);
      const stored = await readStored();
      changedMeanwhile.delete(changed);
      if (!stored) return;
      const isKnownBetter = (id: string) => isOurs(id) || changed.has(id) || unstored.has(id);
      const found = new Map(stored.map((head) => [head.id, toLoaded(head)]));
      for (const id of heads.keys()) if (!found.has(id) && !isKnownBetter(id)) heads.delete(id);
      for (const [id, head] of found) {
        if (gone.has(id)) void write('remove', () => store.remove(id));
        else if (!isKnownBetter(id)) heads.set(id, head);
      }
      void storeAgain();
      onChange();
    },
  };
}

/** Whoever was sending it is no more, or is another tab, which keeps that to itself. */
function toLoaded(head: QueueItemHead): QueueItemHead {
  if (head.state.kind !== 'sending') return head;
  return { ...head, state: { kind: 'waiting', nextAttemptAtMs: 0, lastError: null } };
}
