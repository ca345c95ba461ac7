import { sleep } from '../core/async.ts';
import type { Clock } from '../core/clock.ts';
import { DATABASE_NAME } from '../core/contracts/database.ts';
import type { WorkerConnection } from './worker-connection.ts';

/** A browser that has not listed them by then may have them. */
const LIST_DEADLINE_MS = 5_000;

/**
 * Starts the worker at once if earlier days may have left something: a dictation cut short, a chunk
 * not sent, a text not fetched. Otherwise it starts when dictation becomes likely.
 */
export async function lookForEarlierWork(
  connection: WorkerConnection,
  clock: Clock,
): Promise<void> {
  try {
    // A browser that can't list them may have them.
    const listed = Promise.race([indexedDB.databases?.(), sleep(clock, LIST_DEADLINE_MS)]);
    const databases = (await listed) ?? null;
    // It is there once somebody has dictated on this site.
    const isThere = databases?.some(({ name }) => name === DATABASE_NAME);
    if (isThere === false) return;
  } catch {
    // Storage is refused or broken: the worker will find out and say so.
  }
  connection.worker();
}
