import type { JournalCut, SessionCut } from '../../src/core/queue/journal-cut.ts';
import type { QueueItem, QueueItemHead } from '../../src/core/queue/queue-item.ts';
import { createTurns } from './turns.ts';

/** Whose chunk it is, and which. */
export type ChunkName = Pick<QueueItemHead, 'sessionId' | 'number'>;

/** How a chunk stands that the store does not hold as memory does. */
type Storing = ChunkName & {
  readonly state: 'on-its-way' | 'refused';
  /** Goes with it. */
  readonly cut: JournalCut | null;
  /** What the store may have of it: a try that failed may have worked, its answer lost. */
  readonly triedIds: ReadonlySet<string>;
};

export type ChunkStoringPorts = {
  /** A chunk, or its parts, as memory has them now. */
  readonly itemsOf: (chunk: ChunkName) => readonly QueueItem[];
  /** Whether the store took them, and gave up what it may have had of the same chunk. */
  readonly put: (
    items: readonly QueueItem[],
    cut: SessionCut | null,
    formerIds: readonly string[],
  ) => Promise<boolean>;
  readonly onChange: () => void;
};

/**
 * Chunks that the store does not hold as memory does: noted before it is tried, and until it has
 * worked, so that what is read meanwhile is known to be older. A session's chunks are put in the
 * order of speech, each with its cut: behind one that the store refuses, none is.
 */
export type ChunkStoring = {
  stateOf(chunk: ChunkName): Storing['state'] | null;
  /** A new chunk; fulfilled when it was tried. */
  add(chunk: ChunkName, cut: JournalCut | null): Promise<void>;
  /** What memory has of a chunk that is not stored yet is new. */
  changed(chunk: ChunkName): Promise<void>;
  /** Memory has nothing of it any more: its cut is still to be noted, or what it was comes again. */
  emptied(chunk: ChunkName): void;
  /** Whether anything of a session is not stored, be it how far its journal is cut. */
  has(sessionId: string): boolean;
  /** The journal of a session is gone, and nothing of it is in memory. */
  forget(sessionId: string): void;
  /** Tries all again, until one fails. */
  retry(): Promise<boolean>;
};

function keyOf({ sessionId, number }: ChunkName): string {
  return `${sessionId}:${number}`;
}

/** Makes an empty list. */
export function createChunkStoring({ itemsOf, put, onChange }: ChunkStoringPorts): ChunkStoring {
  const storing = new Map<string, Storing>();
  const turns = createTurns();

  /** Stores a chunk, and before it those of its session that are not stored yet. */
  function store({ sessionId, number }: ChunkName): Promise<boolean> {
    return turns.run(sessionId, async () => {
      const due = [...storing.values()]
        .filter((other) => other.sessionId === sessionId && other.number <= number)
        .sort((one, other) => one.number - other.number)
        .map(keyOf);
      for (const [index, next] of due.entries()) {
        if (await putNow(next)) continue;
        for (const behind of due.slice(index)) refuse(behind);
        return false;
      }
      return true;
    });
  }

  async function putNow(key: string): Promise<boolean> {
    const entry = storing.get(key);
    if (!entry) return true;
    const { sessionId, cut, triedIds } = entry;
    const items = itemsOf(entry);
    const ids = new Set(items.map(({ id }) => id));
    const formerIds = [...triedIds].filter((id) => !ids.has(id));
    const trying: Storing = { ...entry, triedIds: new Set([...triedIds, ...ids]) };
    storing.set(key, trying);
    const isStored = await put(items, cut && { ...cut, sessionId }, formerIds);
    // Not if it has changed meanwhile: then it is stored again.
    if (isStored && storing.get(key) === trying) storing.delete(key);
    onChange();
    return isStored;
  }

  async function changed(chunk: ChunkName): Promise<void> {
    const entry = storing.get(keyOf(chunk));
    if (!entry) return;
    storing.set(keyOf(entry), { ...entry });
    await store(entry);
  }

  function refuse(key: string): void {
    const entry = storing.get(key);
    if (entry) storing.set(key, { ...entry, state: 'refused' });
    onChange();
  }

  return {
    stateOf: (chunk) => storing.get(keyOf(chunk))?.state ?? null,
    async add({ sessionId, number }, cut) {
      const entry: Storing = { sessionId, number, cut, state: 'on-its-way', triedIds: new Set() };
      storing.set(keyOf(entry), entry);
      await store(entry);
    },
    changed,
    emptied(chunk) {
      if (storing.get(keyOf(chunk))?.cut) void changed(chunk);
      else storing.delete(keyOf(chunk));
    },
    has: (sessionId) => [...storing.values()].some((entry) => entry.sessionId === sessionId),
    forget(sessionId) {
      for (const [key, entry] of storing) if (entry.sessionId === sessionId) storing.delete(key);
    },
    async retry() {
      for (const entry of [...storing.values()]) if (!(await store(entry))) return false;
      return true;
    },
  };
}
