import type { TextChunks } from '../core/contracts/worker-api.ts';
import type { SnapshotStore } from './snapshot-store.ts';

/**
 * Looks, until the answer is called, whether somebody throws away all that a text on its way into
 * the page was made of, here or in another tab: `onDeleted`, once.
 */
export function watchDeletion(
  store: Pick<SnapshotStore, 'getSnapshot' | 'subscribe'>,
  { sessionId, chunks }: { readonly sessionId: string; readonly chunks: TextChunks },
  onDeleted: () => void,
): () => void {
  let isSeen = false;

  function look(): void {
    const { isLoaded, isRecovered, items } = store.getSnapshot().queue;
    // A worker started anew does not know all at first.
    if (!isLoaded || !isRecovered) return;
    const isThere = items.some((item) => item.sessionId === sessionId && chunks.has(item.number));
    const isDeleted = isSeen && !isThere;
    isSeen = isThere;
    if (isDeleted) onDeleted();
  }

  const stop = store.subscribe(look);
  look();
  return stop;
}
