import { assertNever } from '../core/assert-never.ts';
import { sleep } from '../core/async.ts';
import type { CancelTimer, Clock } from '../core/clock.ts';
import { DATABASE_NAME } from '../core/contracts/database.ts';
import type { Logger } from '../core/logger.ts';
import type { StorageFacts } from '../core/recordings/recording.ts';
import type { SessionPhase, Snapshot } from '../core/session/snapshot.ts';
import { lateItems, lateKept } from '../core/session/text-state.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import type { WorkerConnection } from './worker-connection.ts';

/**
 * A text that waits for less is on its way: most are gone before anybody has read that it is there.
 */
const WAITS_LONG_MS = 60_000;

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

/** A browser that has not listed its databases by then may have ours. */
const LIST_DEADLINE_MS = 5_000;

/** A dictation on a page that the browser may keep for the back button. */
export type KeptPage = {
  /**
   * The page is left, and may come back: as if it were gone. A microphone it had is let go, and
   * what was said is another page's to write down.
   */
  leave(): void;
  /** It has come back. */
  comeBack(): void;
};

/**
 * Sees to all that happens to the page: tells the worker what only a page can see and what may mean
 * that sending works again, guards against leaving while that is risky, starts the worker if
 * earlier days may have left something, and tells when the page is left but kept. The answer ends
 * it.
 *
 * A kept page stands still with all it has: in Safari also its worker, whose locks would keep other
 * pages from what was said for as long as the page is kept. Firefox and Chromium keep no page that
 * records, nor Firefox one whose worker holds a lock.
 */
export function watchPage(
  { leave, comeBack }: KeptPage,
  connection: WorkerConnection,
  store: SnapshotStore,
  clock: Clock,
): () => void {
  const watch = new AbortController();
  const tell = (kind: 'online' | 'visible' | 'hidden') =>
    connection.tell((api) => api.report({ kind }));
  const onVisibility = (): void => {
    if (document.visibilityState === 'visible') tell('visible');
    // A page that is left needs no worker for that.
    else if (connection.hasWorker()) tell('hidden');
  };
  addEventListener('online', () => tell('online'), watch);
  // Somebody may have signed in in another window.
  addEventListener('focus', onVisibility, watch);
  document.addEventListener('visibilitychange', onVisibility, watch);
  addEventListener(
    'pagehide',
    ({ persisted }) => {
      // Dictations deleted here cannot be had back. A worker that is ended first leaves it to the
      // next.
      if (connection.hasWorker()) connection.tell((api) => api.emptyBin());
      if (persisted) leave();
    },
    watch,
  );
  addEventListener(
    'pageshow',
    ({ persisted }) => {
      if (!persisted) return;
      comeBack();
      void lookForEarlierWork(connection, clock);
    },
    watch,
  );
  const stopGuarding = guardLeaving(store);
  void lookForEarlierWork(connection, clock);
  return () => {
    watch.abort();
    stopGuarding();
  };
}

/**
 * Starts the worker at once if earlier days may have left something: a dictation cut short, a chunk
 * not sent, a text not fetched. Otherwise it starts when dictation becomes likely.
 */
export async function lookForEarlierWork(
  connection: WorkerConnection,
  clock: Clock,
): Promise<void> {
  try {
    // A browser that can't list them may have ours, which is there once somebody has dictated here.
    const listed = Promise.race([indexedDB.databases?.(), sleep(clock, LIST_DEADLINE_MS)]);
    if ((await listed)?.some(({ name }) => name === DATABASE_NAME) === false) return;
  } catch {
    // Storage is refused or broken: the worker will find out and say so.
  }
  connection.worker();
}

/**
 * Has the browser ask before the page is left while that is risky. The listener is there only then:
 * older browsers keep no page that has one for the back button. Firefox 153 and Chromium do.
 */
function guardLeaving(store: SnapshotStore): () => void {
  let isGuarding = false;
  const ask = (event: BeforeUnloadEvent): void => event.preventDefault();

  const guard = (isRisky: boolean): void => {
    if (isRisky === isGuarding) return;
    isGuarding = isRisky;
    if (isRisky) addEventListener('beforeunload', ask);
    else removeEventListener('beforeunload', ask);
  };

  const stop = store.subscribe(() => guard(isLeavingRisky(store.getSnapshot())));
  return () => {
    stop();
    guard(false);
  };
}

/**
 * True if leaving the page now would cost somebody words or a recording: one is under way, or
 * something is in memory that storage did not take.
 */
function isLeavingRisky({ session, queue, notices }: Snapshot): boolean {
  if (isCapturing(session.phase) || queue.unstoredItems > 0) return true;
  const isUnderWay = session.id !== null && session.phase !== 'stopped';
  return (
    isUnderWay && notices.some(({ kind }) => kind === 'storage-failed' || kind === 'storage-full')
  );
}

function isCapturing(phase: SessionPhase): boolean {
  switch (phase) {
    case 'recording':
    case 'paused':
    case 'finishing':
      return true;
    case 'idle':
    case 'starting':
    case 'transcribing':
    case 'stopped':
      return false;
    default:
      return assertNever(phase);
  }
}
