import { useSyncExternalStore } from 'react';
import type { Dictation } from '../core/contracts/dictation.ts';
import { INITIAL_SNAPSHOT, type Snapshot } from '../core/session/snapshot.ts';

/**
 * A part of the snapshot, drawn again only when that part changes. `select` must give a value that
 * stays the same while nothing changed: a primitive, or an object standing in the snapshot. A page
 * that the build drew begins as it was drawn, with nothing known.
 */
export function useSnapshot<T>(dictation: Dictation, select: (snapshot: Snapshot) => T): T {
  return useSyncExternalStore(
    dictation.subscribe,
    () => select(dictation.getSnapshot()),
    () => select(INITIAL_SNAPSHOT),
  );
}
