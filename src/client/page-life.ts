import { assertNever } from '../core/assert-never.ts';
import { sleep } from '../core/async.ts';
import type { Clock } from '../core/clock.ts';
import { DATABASE_NAME } from '../core/contracts/database.ts';
import type { SessionPhase, Snapshot } from '../core/session/snapshot.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import type { WorkerConnection } from './worker-connection.ts';

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
  connection.warm();
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
