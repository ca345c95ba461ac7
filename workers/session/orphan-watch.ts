import type { Clock } from '../../src/core/clock.ts';
import type { Logger } from '../../src/core/logger.ts';
import type { Recovery } from './recovery.ts';

/** How often sessions whose tab has died meanwhile are looked for. */
const ORPHAN_LOOK_MS = 10_000;

export type OrphanWatchPorts = {
  readonly recovery: Pick<Recovery, 'recoverOrphans'>;
  /** Told when they have been looked for, in vain or not. */
  readonly onLooked: () => void;
  readonly clock: Clock;
  readonly log: Logger;
};

/** Recovers sessions whose tab has died, now and whenever one does, as long as the worker lives. */
export function watchForOrphans(ports: OrphanWatchPorts): void {
  const { recovery, onLooked, clock, log } = ports;

  async function look(): Promise<void> {
    await recovery.recoverOrphans().catch((error: unknown) => {
      log.error('Earlier recordings could not be looked for', error);
    });
    onLooked();
    clock.after(ORPHAN_LOOK_MS, () => void look());
  }

  void look();
}
