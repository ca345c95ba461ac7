import { promisifyRequest } from 'idb-keyval';
import { DikteraError } from '../../src/core/errors.ts';

/** The form of what the queue's database holds. */
export const QUEUE_SCHEMA_VERSION = 3;

const VERSION_KEY: IDBValidKey = ['schema'];

/** An item without its audio: a `QueueItemHead`. */
export function headKey(id: string): IDBValidKey {
  return ['head', id];
}

/** An item's audio: an `EncodedAudio`. */
export function audioKey(id: string): IDBValidKey {
  return ['audio', id];
}

/** All heads: an array sorts after every string. */
export function allHeads(): IDBKeyRange {
  return IDBKeyRange.bound(['head'], ['head', []]);
}

/**
 * What makes each version into the next, inside a transaction. Nothing pending is ever deleted by
 * an upgrade.
 */
const UPGRADES: Readonly<Record<number, (store: IDBObjectStore) => Promise<void>>> = {
  /** 1 -> 2: a chunk too large to send is kept in parts; before, every item was a whole. */
  1: (store) =>
    changeHeads(store, (head) => (head.part === undefined ? { ...head, part: '' } : head)),
  /** 2 -> 3: a text can be doubted, and a chunk asked for anew. */
  2: (store) =>
    changeHeads(store, ({ state, ...head }) => ({
      speechSamples: head.durationSamples,
      asks: 0,
      ...head,
      state: Object(state).kind === 'transcribed' ? { doubt: null, ...Object(state) } : state,
    })),
};

async function changeHeads(
  store: IDBObjectStore,
  change: (head: Record<string, unknown>) => Record<string, unknown>,
): Promise<void> {
  const [keys, heads] = await Promise.all([
    promisifyRequest(store.getAllKeys(allHeads())),
    promisifyRequest<unknown[]>(store.getAll(allHeads())),
  ]);
  for (const [index, key] of keys.entries()) {
    const head = heads[index];
    if (typeof head === 'object' && head !== null) store.put(change({ ...head }), key);
  }
}

/**
 * Brings a queue database to the present version, inside a transaction: all of it or none. Throws
 * `storage-failed` if a newer Diktera wrote it; then nothing is touched.
 */
export async function upgradeQueue(store: IDBObjectStore): Promise<void> {
  const stored = await promisifyRequest<unknown>(store.get(VERSION_KEY));
  if (stored === QUEUE_SCHEMA_VERSION) return;
  let version = stored ?? QUEUE_SCHEMA_VERSION;
  while (version !== QUEUE_SCHEMA_VERSION) {
    const upgrade = typeof version === 'number' ? UPGRADES[version] : undefined;
    if (typeof version !== 'number' || !upgrade) {
      throw new DikteraError(
        'storage-failed',
        `The queue has version ${String(stored)}; this Diktera knows ${QUEUE_SCHEMA_VERSION} and older`,
      );
    }
    await upgrade(store);
    version += 1;
  }
  store.put(version, VERSION_KEY);
}
