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
/** After it was seen to be away. */
const RETURN_GAP_MS = 10_000;

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
  /** The server was looked at: it is there, or not. */
  seen(isThere: boolean): void;
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
  let awayAtMs: number | null = null;

  function isSlow({ id, state }: QueueItemHead): boolean {
    const sinceMs = state.kind === 'sending' ? uploader.askedAtMs(id) : null;
    return sinceMs !== null && clock.nowMs() - sinceMs >= SLOW_REQUEST_MS;
  }

  return {
    isNeeded: () => list().some((item) => waitsForServer(item) || isSlow(item)),
    seen(isThere) {
      const nowMs = clock.nowMs();
      if (!isThere) {
        awayAtMs = nowMs;
        gapMs = Math.min(gapMs, RETURN_GAP_MS);
        return;
      }
      // What was asked while nobody was there has no answer to come.
      if (awayAtMs !== null) uploader.askAgain(awayAtMs);
      awayAtMs = null;
      const sinceMs = nowMs - triedAtMs;
      if (nowMs < uploader.quietUntilMs || (sinceMs >= 0 && sinceMs < gapMs)) return;
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
