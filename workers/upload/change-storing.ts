import type {
  DoubtedState,
  HandedTexts,
  ItemChange,
  QueueItemState,
  SettledItems,
} from '../../src/core/queue/queue-item.ts';
import { createTurns } from './turns.ts';

/** A delivery: what becomes of its chunks, and the session whose journal goes in the same step. */
export type Settlement = SettledItems & { readonly endedSessionId: string | null };

const NOTHING = { gone: [], doubted: new Map(), endedSessionId: null } as const;

export type ChangeStoringPorts = {
  /** How a chunk stands in memory now; undefined if it is gone. */
  readonly stateOf: (id: string) => QueueItemState | undefined;
  /** Whether the store took it. */
  readonly update: (id: string, change: ItemChange) => Promise<boolean>;
  /** The texts that it has no room for; null if it did not take the settlement. */
  readonly settle: (settlement: Settlement) => Promise<readonly HandedTexts[] | null>;
  /** What was read of it meanwhile may be older. */
  readonly onTried: (id: string) => void;
};

/**
 * What has become of chunks in the store, and is not there yet: noted before it is tried, and until
 * it has worked, so that what is read of them is known to be older.
 */
export type ChangeStoring = {
  has(id: string): boolean;
  /** The chunk is gone, or another under its name. */
  forget(id: string): void;
  /** True if the store has this, and what it did not take of the chunk before. */
  update(id: string, change: ItemChange): Promise<boolean>;
  settle(settlement: Settlement): Promise<boolean>;
  /** Tries all again, until one fails. */
  retrySettlements(): Promise<boolean>;
  retryUpdates(): Promise<boolean>;
};

/**
 * Makes an empty list. What is written of a chunk is written in the order in which it came about:
 * a store that is tried again would else have the older last.
 */
export function createChangeStoring(ports: ChangeStoringPorts): ChangeStoring {
  const { stateOf, onTried } = ports;
  const unwritten = new Map<string, ItemChange>();
  const unsettled = new Set<Settlement>();
  const turns = createTurns();

  /** In the turns of all these chunks, taken in one order by everybody. */
  function inTurns<Value>(ids: readonly string[], work: () => Promise<Value>): Promise<Value> {
    const [first, ...rest] = [...ids].sort();
    if (first === undefined) return work();
    return turns.run(first, () => inTurns(rest, work));
  }

  async function update(id: string, change: ItemChange): Promise<boolean> {
    unwritten.set(id, { ...unwritten.get(id), ...change });
    return turns.run(id, async () => {
      const all = unwritten.get(id);
      // Written with what came before it, or not needed any more.
      if (!all) return true;
      const isWritten = await ports.update(id, all);
      onTried(id);
      if (isWritten && unwritten.get(id) === all) unwritten.delete(id);
      return isWritten;
    });
  }

  /** Tried again, one may have become something else meanwhile. */
  function doubtedStill({ doubted }: Settlement): ReadonlyMap<string, DoubtedState> {
    return new Map([...doubted].filter(([id, state]) => stateOf(id) === state));
  }

  async function settle(settlement: Settlement): Promise<boolean> {
    unsettled.add(settlement);
    for (const [id, state] of doubtedStill(settlement)) {
      unwritten.set(id, { ...unwritten.get(id), state });
    }
    return inTurns([...settlement.doubted.keys()], async () => {
      if (!unsettled.has(settlement)) return true;
      const doubted = doubtedStill(settlement);
      const texts = await ports.settle({ ...settlement, doubted });
      const isSettled = texts !== null;
      if (isSettled) unsettled.delete(settlement);
      if (texts?.length) unsettled.add({ ...NOTHING, texts });
      for (const [id, state] of doubted) {
        onTried(id);
        if (isSettled && unwritten.get(id)?.state === state) unwritten.delete(id);
      }
      return isSettled;
    });
  }

  return {
    has: (id) => unwritten.has(id),
    forget: (id) => void unwritten.delete(id),
    update,
    settle,
    async retrySettlements() {
      for (const settlement of [...unsettled]) if (!(await settle(settlement))) return false;
      return true;
    },
    async retryUpdates() {
      for (const id of [...unwritten.keys()]) if (!(await update(id, {}))) return false;
      return true;
    },
  };
}
