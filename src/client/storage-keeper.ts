import type { CancelTimer, Clock } from '../core/clock.ts';
import type { Logger } from '../core/logger.ts';
import type { StorageFacts } from '../core/recordings/recording.ts';
import { lateItems, lateKept } from '../core/session/text-state.ts';
import type { SnapshotStore } from './snapshot-store.ts';

// By itself: it is fetched when the first words have been heard, or when somebody asks.

/**
 * A text that waits for less is on its way: most are gone before anybody has read that it is there.
 */
const WAITS_LONG_MS = 60_000;

export type StorageKeeper = ReturnType<typeof createStorageKeeper>;

/**
 * Sees to it that the browser keeps what is stored here, or that a person knows that it may not:
 * private windows forget it when they are closed, full disks have it cleared, Safari clears it
 * after seven days of use without a visit. A browser does not tell which; it tells whether it
 * promises to keep. A person is told only while something has waited for a minute.
 */
export function createStorageKeeper({
  storage,
  store,
  clock,
  log,
  tell,
}: {
  /** Undefined on a page that is not served over https. Workers cannot ask. */
  readonly storage: Pick<StorageManager, 'persist' | 'persisted'> | undefined;
  readonly store: SnapshotStore;
  readonly clock: Clock;
  readonly log: Logger;
  /** Raises or clears the notice `storage-not-kept`. */
  readonly tell: (isRaised: boolean) => void;
}) {
  let isAsked = false;
  let isWaiting = false;
  let isTold = false;
  let cancel: CancelTimer = () => {};

  async function ask(): Promise<void> {
    try {
      const isKept = await storage?.persist?.();
      if (!isKept) log.info('The browser may clear stored audio when the disk is full');
    } catch (error) {
      log.info('The browser did not answer whether stored audio is kept', error);
    }
  }

  async function look(): Promise<void> {
    const isKept = (await storage?.persisted?.().catch(() => false)) ?? false;
    if (isKept || !isWaiting) return;
    isTold = true;
    tell(true);
  }

  const stop = store.subscribe(() => {
    const snapshot = store.getSnapshot();
    const waits = lateItems(snapshot).length > 0 || lateKept(snapshot).length > 0;
    if (waits === isWaiting) return;
    isWaiting = waits;
    cancel();
    if (waits) cancel = clock.after(WAITS_LONG_MS, () => void look());
    else if (isTold) tell(false);
    if (!waits) isTold = false;
  });

  return {
    /**
     * Asks the browser to keep it, once: a site in use is more likely to be heard. Call it when
     * somebody records.
     */
    onRecording(): void {
      if (isAsked) return;
      isAsked = true;
      void ask();
    },
    dispose(): void {
      stop();
      cancel();
    },
  };
}

/**
 * Facts on the browser's storage for this site; a fact it does not tell is null, as Safari before
 * 17 has no estimate. Undefined on a page that is not served over https.
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
