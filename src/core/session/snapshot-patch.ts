import type { Snapshot } from './snapshot.ts';

/**
 * The parts of a snapshot that changed. Sent instead of the whole, so that what did not change keeps
 * its identity on the other side of the thread, and nothing is drawn again for it.
 */
export type SnapshotPatch = { readonly version: number } & Partial<Omit<Snapshot, 'version'>>;

/** What turns `before` into `after`. */
export function diffSnapshots(before: Snapshot, after: Snapshot): SnapshotPatch {
  return {
    version: after.version,
    ...(before.engine === after.engine ? {} : { engine: after.engine }),
    ...(before.session === after.session ? {} : { session: after.session }),
    ...(before.queue === after.queue ? {} : { queue: after.queue }),
    ...(before.kept === after.kept ? {} : { kept: after.kept }),
    ...(before.server === after.server ? {} : { server: after.server }),
    ...(before.ledger === after.ledger ? {} : { ledger: after.ledger }),
    ...(before.notices === after.notices ? {} : { notices: after.notices }),
  };
}

/** The snapshot with a patch's parts in place of its own. */
export function applyPatch(snapshot: Snapshot, patch: SnapshotPatch): Snapshot {
  return { ...snapshot, ...patch };
}
