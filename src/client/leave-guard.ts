import { assertNever } from '../core/assert-never.ts';
import type { SessionPhase, Snapshot } from '../core/session/snapshot.ts';
import type { SnapshotStore } from './snapshot-store.ts';

/**
 * Whether leaving the page now would cost somebody words or a recording: one is under way, or
 * something is in memory that storage did not take.
 */
export function isLeavingRisky({ session, queue, notices }: Snapshot): boolean {
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

/**
 * Has the browser ask before the page is left while that is risky. The listener is there only then:
 * older browsers keep no page that has one for the back button. Firefox 153 and Chromium do.
 */
export function guardLeaving(store: SnapshotStore): () => void {
  let isGuarding = false;
  const ask = (event: BeforeUnloadEvent): void => event.preventDefault();

  const guard = (isRisky: boolean): void => {
    if (isRisky === isGuarding) return;
    isGuarding = isRisky;
    if (isRisky) window.addEventListener('beforeunload', ask);
    else window.removeEventListener('beforeunload', ask);
  };

  const stop = store.subscribe(() => guard(isLeavingRisky(store.getSnapshot())));
  return () => {
    stop();
    guard(false);
  };
}
