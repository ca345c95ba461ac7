import { promisifyRequest } from 'idb-keyval';
import { NO_OWNER, type Owned, type OwnerScope } from '../../src/core/queue/owner.ts';
import type { Database } from './database.ts';
import { OPEN_CHUNKS } from './records.ts';

/**
 * What was dictated before anybody had signed in is theirs who do first: from then on nobody else's.
 * Rejects with `storage-failed`.
 */
export async function claimUnowned(database: Database, { owner }: OwnerScope): Promise<void> {
  if (owner.account === null) return;
  const isUnclaimed = (record: Owned<object> | undefined) =>
    record?.owner?.account === null && record.owner.address === owner.address;
  await database.write(['dictations', 'chunks'], 'strict', async (...tables) => {
    await Promise.all(
      tables.map(async (store) => {
        const [keys, values] = await Promise.all([
          promisifyRequest(store.getAllKeys()),
          promisifyRequest<Owned<object>[]>(store.getAll()),
        ]);
        for (const [at, key] of keys.entries()) {
          if (isUnclaimed(values[at])) store.put({ ...values[at], owner }, key);
        }
      }),
    );
  });
}

/** Under which accounts something waits for an address. Rejects with `storage-failed`. */
export async function accountsAt(
  database: Database,
  address: string,
): Promise<ReadonlySet<string | null>> {
  const heads = await database.read(['chunks'], (chunks) =>
    promisifyRequest<Owned<object>[]>(chunks.index(OPEN_CHUNKS).getAll()),
  );
  const owners = heads.map(({ owner }) => owner ?? { ...NO_OWNER, address });
  return new Set(owners.filter((owner) => owner.address === address).map(({ account }) => account));
}
