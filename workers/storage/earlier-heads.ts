import { DikteraError } from '../../src/core/errors.ts';

/** The last form that the queue's records had in a database of their own; it is today's too. */
const LAST_VERSION = 3;

type Head = Readonly<Record<string, unknown>>;

/** What makes the head of an item of each version into the next one's. */
const UPGRADES: Readonly<Record<number, (head: Head) => Head>> = {
  /** 1 -> 2: a chunk too large to send is kept in parts; before, every item was a whole. */
  1: (head) => (head.part === undefined ? { ...head, part: '' } : head),
  /** 2 -> 3: a text can be doubted, and a chunk asked for anew. */
  2: ({ state, ...head }) => ({
    speechSamples: head.durationSamples,
    asks: 0,
    ...head,
    state: Object(state).kind === 'transcribed' ? { doubt: null, ...Object(state) } : state,
  }),
};

/**
 * An item's head as it is today. `stored` is the version that its database named; one that named
 * none is of the last. Throws `storage-failed` if it is of none of ours.
 */
export function upgradeHead(head: unknown, stored: unknown): unknown {
  let upgraded = Object(head) as Head;
  for (let version = stored ?? LAST_VERSION; version !== LAST_VERSION; ) {
    const upgrade = typeof version === 'number' ? UPGRADES[version] : undefined;
    if (typeof version !== 'number' || !upgrade) {
      throw new DikteraError('storage-failed', `An earlier queue has version ${String(stored)}`);
    }
    upgraded = upgrade(upgraded);
    version += 1;
  }
  return upgraded;
}
