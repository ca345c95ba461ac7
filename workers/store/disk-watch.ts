import type { CancelTimer, Clock } from '../../src/core/clock.ts';
import type { SnapshotEvent } from '../../src/core/session/snapshot-events.ts';
import { withDeadline } from '../../src/platform/deadline.ts';

/** Speech fills the journal by 32 kB/s: room for about 25 minutes. */
const LOW_BYTES = 50_000_000;

/** How often the disk is looked at while recording. */
const LOOK_INTERVAL_MS = 30_000;

type DiskWatchPorts = {
  /** The browser's own guess; may reject where there is none. */
  readonly estimate: () => Promise<StorageEstimate>;
  readonly clock: Clock;
  readonly dispatch: (event: SnapshotEvent) => void;
};

/** Says early that the disk is nearly full. */
export type DiskWatch = ReturnType<typeof createDiskWatch>;

/** Makes a watch on the room that the browser gives this site. */
export function createDiskWatch({ estimate, clock, dispatch }: DiskWatchPorts) {
  let isRunning = false;
  let cancel: CancelTimer = () => {};

  async function look(): Promise<void> {
    try {
      const { quota, usage = 0 } = await withDeadline(clock, estimate(), LOOK_INTERVAL_MS, () => {
        throw new Error('No answer');
      });
      const isLow = quota !== undefined && quota - usage < LOW_BYTES;
      const notice = 'storage-low';
      dispatch(
        isLow ? { kind: 'notice-raised', notice, error: null } : { kind: 'notice-cleared', notice },
      );
    } catch {
      // A browser that can't tell: a full disk will be told by what can't be written.
    }
    if (isRunning) cancel = clock.after(LOOK_INTERVAL_MS, () => void look());
  }

  return {
    /** Looks now, and now and then until `stop`. */
    start(): void {
      if (isRunning) return;
      isRunning = true;
      void look();
    },
    stop(): void {
      isRunning = false;
      cancel();
    },
  };
}
