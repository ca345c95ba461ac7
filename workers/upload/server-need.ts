import type { Clock, Random } from '../../src/core/clock.ts';
import type { QueueItemHead } from '../../src/core/queue/queue-item.ts';
import { isSignedOut, roundDelayMs, waitsForServer } from '../../src/core/queue/queue-policy.ts';
import { withJitter } from '../../src/core/queue/retry-policy.ts';
import type { ItemUploader } from './item-uploader.ts';

/** A request that takes longer may be lost on a network that swallows it. */
export const SLOW_REQUEST_MS = 10_000;

/**
 * A server that is there and takes nothing is not tried sooner again than this: for two minutes, so
 * that it has what waits within 5 s of its return, looks included; then doubled each time.
 */
const FIRST_GAP_MS = 3_000;
const FREQUENT_MS = 2 * 60_000;
/** Who is to sign in first takes longer than a server that starts anew. */
const SIGNED_OUT_GAP_MS = 15_000;
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
  readonly random: Random;
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
export function createServerNeed({
  clock,
  random,
  uploader,
  list,
  wake,
}: ServerNeedPorts): ServerNeed {
  let triedAtMs = 0;
  let troubledAtMs: number | null = null;
  /** Tries after the frequent ones. */
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

  function nextGapMs(nowMs: number): number {
    // A clock that was set back does not say how long.
    if (troubledAtMs === null || nowMs < troubledAtMs) troubledAtMs = nowMs;
    const sinceMs = nowMs - troubledAtMs;
    const firstMs = list().some(isSignedOut) ? SIGNED_OUT_GAP_MS : FIRST_GAP_MS;
    if (firstMs === FIRST_GAP_MS && sinceMs < FREQUENT_MS) return firstMs;
    tries += 1;
    return Math.max(firstMs * 2 ** tries, tries > 3 ? roundDelayMs(tries - 3, () => 0) : 0);
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
      gapMs = withJitter(nextGapMs(nowMs), random);
      wake();
    },
    succeeded() {
      troubledAtMs = null;
      tries = 0;
      gapMs = 0;
    },
  };
}
