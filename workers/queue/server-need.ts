import type { Clock } from '../../src/core/clock.ts';
import type { QueueItemHead } from '../../src/core/queue/queue-item.ts';
import { roundDelayMs, waitsForServer } from '../../src/core/queue/queue-policy.ts';
import type { ItemUploader } from './item-uploader.ts';

/** A request that takes longer may be lost on a network that swallows it. */
export const SLOW_REQUEST_MS = 10_000;

/**
 * A server that is there and takes nothing is not tried sooner again than this, doubled each time.
 */
const FIRST_GAP_MS = 4_000;
/** After nobody was seen, or another in its place. */
const RETURN_GAP_MS = 10_000;

/**
 * What a look finds: nobody; somebody who may take requests (a server without a health of its own,
 * or a portal that stands in its place); our server, ready.
 */
export type ServerSight = 'nobody' | 'somebody' | 'ready';

/** What is needed to know whether the server is. */
export type ServerNeedPorts = {
  readonly clock: Clock;
  readonly uploader: ItemUploader;
  /** This backlog's chunks, those under way included; none if it is another tab's turn. */
  readonly list: () => readonly QueueItemHead[];
  readonly wake: () => void;
};

/** Chunks that wait for the server's return, and what it means when it is seen. */
export type ServerNeed = {
  /** Whether something waits because of the network or the server. */
  isNeeded(): boolean;
  /** The server was looked at. */
  seen(sight: ServerSight): void;
  /** A chunk got through. */
  succeeded(): void;
};

/**
 * Makes a need. A server that is seen is tried at once, but one that takes nothing all the same
 * ever more rarely.
 */
export function createServerNeed({ clock, uploader, list, wake }: ServerNeedPorts): ServerNeed {
  let triedAtMs = 0;
  let tries = 0;
  let gapMs = 0;
  let sightBefore: ServerSight = 'nobody';

  function isSlow({ id, state }: QueueItemHead): boolean {
    const sinceMs = state.kind === 'sending' ? uploader.askedAtMs(id) : null;
    if (sinceMs === null) return false;
    const tookMs = clock.nowMs() - sinceMs;
    // A clock that was set back does not say how long.
    return tookMs >= SLOW_REQUEST_MS || tookMs < 0;
  }

  return {
    isNeeded: () => list().some((item) => waitsForServer(item) || isSlow(item)),
    seen(sight) {
      const isReturn = sight === 'ready' && sightBefore !== 'ready';
      sightBefore = sight;
      if (sight === 'nobody' || isReturn) gapMs = Math.min(gapMs, RETURN_GAP_MS);
      if (sight === 'nobody') {
        uploader.serverAway();
        return;
      }
      uploader.askAgain();
      const nowMs = clock.nowMs();
      const sinceMs = nowMs - triedAtMs;
      if (uploader.isQuiet || (sinceMs >= 0 && sinceMs < gapMs)) return;
      triedAtMs = nowMs;
      gapMs = Math.max(FIRST_GAP_MS * 2 ** tries, tries > 3 ? roundDelayMs(tries - 3, () => 0) : 0);
      tries += 1;
      wake();
    },
    succeeded() {
      tries = 0;
      gapMs = 0;
    },
  };
}
