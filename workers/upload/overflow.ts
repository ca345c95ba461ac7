import { assertNever } from '../../src/core/assert-never.ts';
import { type ErrorInfo, toErrorInfo } from '../../src/core/errors.ts';
import type { Logger } from '../../src/core/logger.ts';
import type {
  Delivery,
  ItemChange,
  JournalCut,
  QueueItem,
  QueueItemHead,
} from '../../src/core/queue/queue-item.ts';
import type { ChunkStore } from '../store/chunk-store.ts';
import type { DictationEntries } from './dictation-entry.ts';

/** Names a chunk and its dictation. */
export type ChunkName = Pick<QueueItemHead, 'id' | 'dictationId' | 'number'>;

/** A chunk that the store does not hold as memory does, with the cut that goes with it. */
type UnstoredChunk = ChunkName & {
  readonly kind: 'chunk';
  readonly state: 'on-its-way' | 'refused';
  readonly cut: JournalCut | null;
};

type Unstored =
  | UnstoredChunk
  /** A change of a chunk that is stored. */
  | { readonly kind: 'change'; readonly dictationId: string; readonly change: ItemChange }
  | { readonly kind: 'delivery'; readonly delivery: Delivery };

/** A chunk that left the queue. */
type Gone = {
  readonly durationSamples: number;
  /** Another tab has this to be stored of it. */
  readonly delivery: Delivery | null;
};

export type OverflowPorts = {
  readonly store: ChunkStore;
  readonly entries: DictationEntries;
  readonly log: Logger;
  /** A chunk as memory has it now, with its audio; undefined if it does not have both. */
  readonly itemOf: (id: string) => QueueItem | undefined;
  /** True if a chunk is in memory, with its audio or without. */
  readonly isThere: (id: string) => boolean;
  /** The store was tried: what was read of this chunk meanwhile may be older. */
  readonly onTried: (id: string) => void;
  /** A chunk that was cut again is closed: its text is in the user's hands already. */
  readonly onClosed: (chunk: QueueItemHead) => void;
  /** The state shown must be updated. */
  readonly onChange: () => void;
  /** Something was stored: other tabs may want to know. */
  readonly onStored: () => void;
  /** The store knows of texts that are in the user's hands. */
  readonly onDelivered: () => void;
  /** Storage failed, or (null) works again. */
  readonly onStorage: (error: ErrorInfo | null) => void;
};

/**
 * Writes that the store refused, or has not answered for: each is noted until it has worked, and
 * data read from the store meanwhile counts as older. A session's chunks are put in the order of
 * speech, each with its cut: behind one that the store refuses, none is. Changes of stored chunks
 * have a lane of their own: they may work where a full disk has no room for audio.
 */
export function createOverflow(ports: OverflowPorts) {
  const { store, entries, log, itemOf, isThere, onTried, onChange } = ports;
  /** By the chunk's id; deliveries by names of their own. */
  const unstored = new Map<string, Unstored>();
  /** Chunks that left the queue: a store that could not remove them must not bring them back. */
  const gone = new Map<string, Gone>();
  let deliveries = 0;
  let isFailing = false;

  /** A failure is logged and told until something works again, and rejects nothing. */
  async function attempt<T>(what: string, work: () => Promise<T>): Promise<{ result: T } | null> {
    try {
      const result = await work();
      if (isFailing) ports.onStorage(null);
      isFailing = false;
      return { result };
    } catch (thrown) {
      const error = toErrorInfo(thrown, 'storage-failed');
      log.error(`Queue storage: ${what} failed`, error);
      isFailing = true;
      ports.onStorage(error);
      return null;
    }
  }

  async function write<T>(what: string, work: () => Promise<T>): Promise<{ result: T } | null> {
    const written = await attempt(what, work);
    if (written) ports.onStored();
    return written;
  }

  function chunkOf(id: string): UnstoredChunk | undefined {
    const found = unstored.get(id);
    return found?.kind === 'chunk' ? found : undefined;
  }

  function chunksOf(dictationId: string): readonly UnstoredChunk[] {
    const all = [...unstored.values()].filter((one) => one.kind === 'chunk');
    return all
      .filter((one) => one.dictationId === dictationId)
      .sort((one, other) => one.number - other.number);
  }

  /** Puts a chunk, and before it those of its session that are not stored yet. */
  function put({ dictationId, number }: ChunkName): Promise<boolean> {
    return entries.of(dictationId).puts.run(async () => {
      const due = chunksOf(dictationId).filter((one) => one.number <= number);
      for (const [index, { id }] of due.entries()) {
        if (await putNow(id)) continue;
        for (const behind of due.slice(index)) {
          const found = chunkOf(behind.id);
          if (found) unstored.set(found.id, { ...found, state: 'refused' });
        }
        onChange();
        return false;
      }
      return true;
    });
  }

  async function putNow(id: string): Promise<boolean> {
    const found = chunkOf(id);
    if (!found) return true;
    const trying = { ...found };
    unstored.set(id, trying);
    const item = itemOf(id);
    const cut = found.cut && { ...found.cut, dictationId: found.dictationId };
    const isStored = await write('put', async () => {
      if (item) return store.put(item, cut);
      if (cut) await store.cut(cut, isThere(id) ? null : id);
      return true;
    });
    // Not if it has changed meanwhile: then it is stored again.
    if (isStored && unstored.get(id) === trying) unstored.delete(id);
    onTried(id);
    if (item && isStored?.result === false) ports.onClosed(item);
    onChange();
    return isStored !== null;
  }

  async function putAgain(id: string): Promise<void> {
    const found = chunkOf(id);
    if (!found) return;
    unstored.set(id, { ...found });
    await put(found);
  }

  /** In one lane: a store that is tried again would else have the older change last. */
  function updateNow(id: string, dictationId: string): Promise<boolean> {
    return entries.of(dictationId).changes.run(async () => {
      const found = unstored.get(id);
      // Written with what came before it, or not needed any more.
      if (found?.kind !== 'change') return true;
      const isWritten = await write('update', () => store.update(id, found.change));
      onTried(id);
      if (isWritten && unstored.get(id) === found) unstored.delete(id);
      return isWritten !== null;
    });
  }

  function markNow(name: string, { dictationId }: Delivery): Promise<boolean> {
    return entries.of(dictationId).changes.run(async () => {
      const found = unstored.get(name);
      if (found?.kind !== 'delivery') return true;
      const marked = await write('markDelivered', () => store.markDelivered(found.delivery));
      for (const { id } of found.delivery.chunks) onTried(id);
      if (!marked) return false;
      // For the rest a full disk has no room: it stays here.
      if (marked.result) unstored.set(name, { kind: 'delivery', delivery: marked.result });
      else {
        unstored.delete(name);
        ports.onDelivered();
      }
      return true;
    });
  }

  function tryAgain(name: string, one: Unstored): Promise<boolean> {
    switch (one.kind) {
      case 'chunk':
        return put(one);
      case 'change':
        return updateNow(name, one.dictationId);
      case 'delivery':
        return markNow(name, one.delivery);
      default:
        return assertNever(one);
    }
  }

  const isBeingDelivered = (id: string): boolean =>
    [...unstored.values()].some(
      (one) => one.kind === 'delivery' && one.delivery.chunks.some((chunk) => chunk.id === id),
    );

  /** True if the store has all of it. */
  function markDelivered(delivery: Delivery): Promise<boolean> {
    deliveries += 1;
    const name = `delivery ${deliveries}`;
    unstored.set(name, { kind: 'delivery', delivery });
    return markNow(name, delivery);
  }

  return {
    attempt,
    markDelivered,
    /** A new chunk, or a cut behind one that is stored; fulfilled when it was tried. */
    async add({ id, dictationId, number }: ChunkName, cut: JournalCut | null): Promise<void> {
      unstored.set(id, { kind: 'chunk', state: 'on-its-way', id, dictationId, number, cut });
      await put({ id, dictationId, number });
    },
    /** Memory has changed a chunk; fulfilled when that was tried. */
    async change({ id, dictationId }: ChunkName, change: ItemChange): Promise<void> {
      if (chunkOf(id)) return putAgain(id);
      const before = unstored.get(id);
      const earlier = before?.kind === 'change' ? before.change : {};
      unstored.set(id, { kind: 'change', dictationId, change: { ...earlier, ...change } });
      await updateNow(id, dictationId);
    },
    /** Memory has nothing of a chunk any more; its cut is still to be noted. */
    left(id: string): void {
      if (chunkOf(id)?.cut) void putAgain(id);
      else unstored.delete(id);
    },
    /** Drops a pending change: it is of another chunk that had the same name. */
    forgetChange(id: string): void {
      if (unstored.get(id)?.kind === 'change') unstored.delete(id);
    },
    /** The journal of a session is gone, and nothing of it is in memory. */
    forgetSession(dictationId: string): void {
      for (const { id } of chunksOf(dictationId)) unstored.delete(id);
    },
    async remove(id: string): Promise<void> {
      await write('remove', () => store.remove(id));
    },
    /** The state of a chunk that the store does not hold; null if it does. */
    stateOf: (id: string): UnstoredChunk['state'] | null => chunkOf(id)?.state ?? null,
    /** True if memory knows better of a chunk than the store. */
    has: (id: string): boolean => unstored.has(id) || isBeingDelivered(id),
    /** True if a chunk of a session is not stored, or how far its journal is cut. */
    hasOf: (dictationId: string): boolean => chunksOf(dictationId).length > 0,
    /** Tries all again, until something fails: what makes room first. */
    async retry(): Promise<void> {
      for (const kind of ['delivery', 'chunk', 'change'] as const) {
        for (const [name, one] of [...unstored]) {
          if (one.kind === kind && !(await tryAgain(name, one))) return;
        }
      }
    },
    noteGone(id: string, durationSamples: number, delivery: Delivery | null = null): void {
      gone.set(id, { durationSamples, delivery });
    },
    /** It is in the queue again. */
    forgetGone: (id: string): void => void gone.delete(id),
    /** True if it left the queue; what is longer under the same name is another, cut anew. */
    isGone: ({ id, durationSamples }: QueueItemHead): boolean =>
      durationSamples <= (gone.get(id)?.durationSamples ?? -1),
    /**
     * The store still has a chunk that left the queue; what fails is tried again when it is read.
     */
    removeGone({ id }: QueueItemHead): void {
      // The chunk in its place, not stored yet, replaces it in the same step.
      if (chunkOf(id) || isBeingDelivered(id)) return;
      const delivery = gone.get(id)?.delivery;
      if (delivery) void markDelivered(delivery);
      else void write('remove', () => store.remove(id));
    },
  };
}
