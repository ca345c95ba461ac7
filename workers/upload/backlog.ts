import type { CancelTimer, Clock, Random } from '../../src/core/clock.ts';
import { isBeingSent, type QueueItemHead } from '../../src/core/queue/queue-item.ts';
import {
  chooseNext,
  dueInMs,
  isBeyondAnyWait,
  isSignedOut,
  roundDelayMs,
  waitsForServer,
  withJitter,
} from '../../src/core/queue/queue-policy.ts';
import type { ItemUploader, UploadResult } from './item-uploader.ts';

/** Interval at which chunks that another tab still works on are looked at again. */
const LOOK_AGAIN_MS = 30_000;

/** Ports of a backlog. */
type BacklogPorts = {
  readonly clock: Clock;
  readonly random: Random;
  /** Learns what other tabs have done; true if some chunks are theirs for now. */
  readonly refresh: () => Promise<boolean>;
  /** True if anything may be sent from here at all. */
  readonly maySend: () => boolean;
  /** The chunks that are this backlog's to send, now or later. */
  readonly list: () => readonly QueueItemHead[];
  /** Makes all of them due now. */
  readonly makeDue: () => void;
  readonly upload: (id: string) => Promise<UploadResult>;
};

/**
 * Sends what is not of a live session, one chunk at a time, as each falls due.
 * After a failure the rest is left alone for a while (30 s doubling to 15 min): with the server
 * down, two hundred waiting chunks are one request, not two hundred.
 */
export function createBacklog(ports: BacklogPorts) {
  const { clock, random, refresh, maySend, list, makeDue, upload } = ports;
  let cancelTimer: CancelTimer = () => {};
  let isRunning = false;
  let isAskedAgain = false;
  let isDisposed = false;
  let hasForeign = false;
  let isWoken = false;
  let failures = 0;
  let restUntilMs = 0;
  /** Chunks a person asked for and that are not yet sent, in that order. */
  const urged = new Set<string>();

  function run(): void {
    isAskedAgain = true;
    if (!isRunning && !isDisposed) void drain();
  }

  async function drain(): Promise<void> {
    isRunning = true;
    cancelTimer();
    while (isAskedAgain && !isDisposed) {
      isAskedAgain = false;
      const asked = [...urged];
      hasForeign = await refresh();
      // Not before: what the store says would stand again, or another tab would have its turn.
      if (isWoken && maySend()) {
        isWoken = false;
        restUntilMs = 0;
        makeDue();
      }
      await sendDue();
      // Not to be found, the store read: gone, or another tab's.
      if (maySend()) for (const id of asked) urged.delete(id);
    }
    isRunning = false;
    setTimer();
  }

  async function sendDue(): Promise<void> {
    while (!isDisposed && maySend()) {
      const next = takeUrged() ?? (restMs() === 0 ? chooseNext(list(), clock.nowMs()) : undefined);
      if (!next) return;
      noteResult(await upload(next.id));
    }
  }

  function takeUrged(): QueueItemHead | undefined {
    for (const id of urged) {
      const wanted = list().find((item) => item.id === id);
      if (!wanted) continue;
      urged.delete(id);
      return wanted;
    }
    return undefined;
  }

  /** A clock set back must not make a rest of seconds one of hours. */
  function restMs(): number {
    const leftMs = restUntilMs - clock.nowMs();
    return isBeyondAnyWait(leftMs) ? 0 : Math.max(0, leftMs);
  }

  function noteResult(result: UploadResult): void {
    if (result.kind === 'waits') {
      failures += 1;
      restUntilMs = clock.nowMs() + roundDelayMs(failures, random);
    } else if (result.kind === 'answered') {
      failures = 0;
      makeDue();
    }
  }

  function sendInMs(): number {
    if (!maySend()) return Number.POSITIVE_INFINITY;
    const nowMs = clock.nowMs();
    const waits = list().map((item) => dueInMs(item, nowMs) ?? Number.POSITIVE_INFINITY);
    return Math.max(Math.min(...waits), restMs());
  }

  function setTimer(): void {
    if (isDisposed) return;
    // A tab that does not send lists what waits all the same.
    const delayMs = hasForeign ? Math.min(sendInMs(), LOOK_AGAIN_MS) : sendInMs();
    if (delayMs < Number.POSITIVE_INFINITY) cancelTimer = clock.after(delayMs, run);
  }

  return {
    /** Looks at what is there, sends what is due and sets the timer for what is not. */
    run,
    /** The network may be back: everything is due, as soon as anything may be sent from here. */
    wake() {
      isWoken = true;
      run();
    },
    /** A person asks for this chunk: it goes before all others, also while those are left alone. */
    urge(id: string) {
      urged.add(id);
      run();
    },
    /** Sends nothing more. */
    dispose() {
      isDisposed = true;
      cancelTimer();
    },
  };
}

/** A request that takes longer may be lost on a network that swallows it. */
export const SLOW_REQUEST_MS = 10_000;

/**
 * A server that is there and takes nothing is not tried sooner again than this: for two minutes, so
 * that it has what waits within 5 s of its return, looks included; then doubled each time.
 */
const FIRST_GAP_MS = 3_000;
const FREQUENT_MS = 2 * 60_000;
/** A person who must sign in takes longer than a server that starts anew. */
const SIGNED_OUT_GAP_MS = 15_000;
/** After nobody was seen, or another in its place. */
const RETURN_GAP_MS = 10_000;

/**
 * The finding of a check. `nobody`: no answer; `somebody`: may take requests (a server without a
 * health of its own, or a portal in its place); `ready`: our server.
 */
export type ServerSight = 'nobody' | 'somebody' | 'ready';

/** Ports of knowing when the server is needed. */
type ServerNeedPorts = {
  readonly clock: Clock;
  readonly random: Random;
  readonly uploader: ItemUploader;
  /** This backlog's chunks, those under way included; none if it is another tab's turn. */
  readonly list: () => readonly QueueItemHead[];
  readonly wake: () => void;
};

/**
 * Chunks that wait for the server's return, and what it means when it is seen. A
 * server that is seen is tried at once, but one that takes nothing all the same ever more rarely.
 */
export function createServerNeed({ clock, random, uploader, list, wake }: ServerNeedPorts) {
  let triedAtMs = 0;
  let troubledAtMs: number | null = null;
  /** Tries after the frequent ones. */
  let tries = 0;
  let gapMs = 0;
  let sightBefore: ServerSight = 'nobody';

  function isSlow({ id, state }: QueueItemHead): boolean {
    const sinceMs = isBeingSent(state) ? uploader.askedAtMs(id) : null;
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
    /** True if something waits because of the network or the server. */
    isNeeded: (): boolean => list().some((item) => waitsForServer(item) || isSlow(item)),
    /** The server was looked at. */
    seen(sight: ServerSight) {
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
    /** A chunk got through. */
    succeeded() {
      troubledAtMs = null;
      tries = 0;
      gapMs = 0;
    },
  };
}
