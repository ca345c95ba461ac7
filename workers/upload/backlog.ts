import type { CancelTimer, Clock, Random } from '../../src/core/clock.ts';
import type { QueueItemHead } from '../../src/core/queue/queue-item.ts';
import {
  chooseNext,
  dueInMs,
  isBeyondAnyWait,
  roundDelayMs,
} from '../../src/core/queue/queue-policy.ts';
import type { UploadResult } from './item-uploader.ts';

/** How soon chunks that another tab still works on are looked at again. */
const LOOK_AGAIN_MS = 30_000;

/** What a backlog needs. */
export type BacklogPorts = {
  readonly clock: Clock;
  readonly random: Random;
  /** Learns what other tabs have done; true if some chunks are theirs for now. */
  readonly refresh: () => Promise<boolean>;
  /** Whether anything may be sent from here at all. */
  readonly maySend: () => boolean;
  /** The chunks that are this backlog's to send, now or later. */
  readonly list: () => readonly QueueItemHead[];
  /** Makes all of them due now. */
  readonly makeDue: () => void;
  readonly upload: (id: string) => Promise<UploadResult>;
};

/** Sends what is not of a live session, one chunk at a time, as each falls due. */
export type Backlog = {
  /** Looks at what is there, sends what is due and sets the timer for what is not. */
  run(): void;
  /** The network may be back: everything is due, as soon as anything may be sent from here. */
  wake(): void;
  /** A person asks for this chunk: it goes before all others, also while those are left alone. */
  urge(id: string): void;
  /** Sends nothing more. */
  dispose(): void;
};

/**
 * Makes a backlog. After a failure the rest is left alone for a while (30 s doubling to 15 min):
 * with the server down, two hundred waiting chunks are one request, not two hundred.
 */
export function createBacklog(ports: BacklogPorts): Backlog {
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
    } else if (result.kind === 'transcribed') {
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
    run,
    wake() {
      isWoken = true;
      run();
    },
    urge(id) {
      urged.add(id);
      run();
    },
    dispose() {
      isDisposed = true;
      cancelTimer();
    },
  };
}
