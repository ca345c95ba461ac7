import type { CancelTimer, Clock } from './clock.ts';

/** The worker is asked this often; one check counts as so much time. */
const TICK_MS = 1_000;

/** The same at rest: each check wakes two threads, and a page at rest costs little else. */
const REST_MS = 5_000;

/** A worker that has never answered may still be fetching its script. */
const START_TICKS = 30;

type HeartbeatPorts = {
  readonly clock: Clock;
  /** Fulfilled when the worker answers. */
  readonly ping: () => Promise<void>;
  /** The seconds of silence that are too many, once it has answered. */
  readonly silenceLimitTicks: () => number;
  /** Nothing is at stake: one that has answered is asked less often. */
  readonly isAtRest: () => boolean;
  readonly onSilent: (ticks: number) => void;
};

/**
 * Begins to ask. Silence is counted in checks, not by the clock: a page that was stopped for
 * seconds, or asleep for hours, has checked once in that time, and the worker's answer is there
 * before its next check. A hidden page that records checks as often: Chromium's once a minute is
 * not for pages with a live microphone track.
 */
export function createHeartbeat(ports: HeartbeatPorts) {
  const { clock, ping, silenceLimitTicks, isAtRest, onSilent } = ports;
  let hasAnswered = false;
  let isSuspected = false;
  let isWaiting = false;
  let isResting = false;
  let hasSign = false;
  let silentTicks = 0;
  let cancel: CancelTimer = () => {};

  function ask(): void {
    isWaiting = true;
    silentTicks = 0;
    ping().then(
      () => {
        isWaiting = false;
        hasAnswered = true;
      },
      () => {}, // No answer.
    );
  }

  function check(isAttended = false): void {
    if (hasSign) silentTicks = 0;
    else if (isWaiting) silentTicks += 1;
    else ask();
    hasSign = false;
    const limit = hasAnswered || isSuspected ? silenceLimitTicks() : START_TICKS;
    isResting = !isAttended && hasAnswered && silentTicks === 0 && isAtRest();
    if (silentTicks >= limit) onSilent(silentTicks);
    else cancel = clock.after(isResting ? REST_MS : TICK_MS, () => check());
  }

  check();
  return {
    /**
     * Something is wrong: a worker that has never answered is from now on given no more time than
     * others.
     */
    suspect() {
      isSuspected = true;
    },
    /** Something else has come from the worker: it need not be asked. */
    sign() {
      hasSign = true;
    },
    /** The rest is over, as far as is known: asks now, and again in a second. */
    attend() {
      if (!isResting) return;
      cancel();
      check(true);
    },
    stop: () => cancel(),
  };
}
