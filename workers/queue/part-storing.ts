import type { QueueItem } from '../../src/core/queue/queue-item.ts';

export type PartStoringPorts = {
  /** A part as memory has it now; undefined if nothing needs it any more. */
  readonly itemOf: (id: string) => QueueItem | undefined;
  /** Whether the store has them in the place of the whole. */
  readonly replace: (id: string, parts: readonly QueueItem[]) => Promise<boolean>;
  /** They are there, as they were when that was asked for. */
  readonly onStored: (id: string, parts: readonly QueueItem[]) => void;
};

/**
 * Parts that stand in the place of chunks which the store has whole until it takes all of their
 * parts at once.
 */
export type PartStoring = {
  /** Whether parts stand in the place of a chunk that the store has. */
  isReplaced(id: string): boolean;
  /** Whether it is such a part. */
  isPart(id: string): boolean;
  /** Parts stand in the place of a chunk, or of a part of one. */
  split(id: string, partIds: readonly string[]): void;
  /** Nothing needs a part any more, or it is something else now. */
  forget(partId: string): void;
  /** Puts the parts in the place of the whole; true if nothing is left to be put. */
  store(id: string): Promise<boolean>;
  /** Tries all again, until one fails. */
  retry(): Promise<boolean>;
};

/** Makes an empty list. */
export function createPartStoring({ itemOf, replace, onStored }: PartStoringPorts): PartStoring {
  /** By chunk, or by part where that was split while it was on its way into the store. */
  const partsOf = new Map<string, Set<string>>();
  const underWay = new Map<string, Promise<boolean>>();

  function wholeOf(partId: string): string | undefined {
    return [...partsOf].find(([, partIds]) => partIds.has(partId))?.[0];
  }

  function store(id: string): Promise<boolean> {
    const storing = underWay.get(id) ?? put(id).finally(() => underWay.delete(id));
    underWay.set(id, storing);
    return storing;
  }

  async function put(id: string): Promise<boolean> {
    const partIds = partsOf.get(id);
    if (!partIds) return true;
    const parts = [...partIds].flatMap((partId) => itemOf(partId) ?? []);
    const isStored = await replace(id, parts);
    const splitMeanwhile = parts.map((part) => part.id).filter((partId) => partsOf.has(partId));
    if (!isStored) {
      for (const partId of splitMeanwhile) {
        for (const smaller of partsOf.get(partId) ?? []) partIds.add(smaller);
        partsOf.delete(partId);
      }
      return false;
    }
    partsOf.delete(id);
    onStored(id, parts);
    for (const partId of splitMeanwhile) if (!(await store(partId))) return false;
    return true;
  }

  return {
    isReplaced: (id) => partsOf.has(id),
    isPart: (id) => wholeOf(id) !== undefined,
    split(id, partIds) {
      const whole = wholeOf(id);
      if (whole !== undefined) partsOf.get(whole)?.delete(id);
      // As it was it may be on its way into the store: then these take its place there.
      if (whole === undefined || underWay.has(whole)) partsOf.set(id, new Set(partIds));
      else for (const partId of partIds) partsOf.get(whole)?.add(partId);
    },
    forget(partId) {
      const whole = wholeOf(partId);
      if (whole !== undefined) partsOf.get(whole)?.delete(partId);
    },
    store,
    async retry() {
      for (const id of [...partsOf.keys()]) if (!(await store(id))) return false;
      return true;
    },
  };
}
