import type { StorageFacts } from '../core/recordings/recording.ts';

/**
 * How the browser keeps what is stored here; what it does not say is null, as Safari before 17 has
 * no estimate. Undefined on a page that is not served over https.
 */
export async function readStorageFacts(
  storage:
    | (Pick<StorageManager, 'persisted'> & Partial<Pick<StorageManager, 'estimate'>>)
    | undefined,
): Promise<StorageFacts> {
  const [isPersisted, estimate] = await Promise.all([
    storage?.persisted().catch(() => null),
    storage?.estimate?.().catch(() => null),
  ]);
  return {
    isPersisted: isPersisted ?? null,
    usedBytes: estimate?.usage ?? null,
    quotaBytes: estimate?.quota ?? null,
  };
}
