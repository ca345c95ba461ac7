import type { CancelTimer, Clock } from '../core/clock.ts';

/** How often the worker is asked for a sign; also the time that one look is counted as. */
const TICK_MS = 1_000;

/** A worker whose script is still being fetched. */
const START_TICKS = 30;

export type HeartbeatPorts = {
  readonly clock: Clock;
  /** Fulfilled when the worker answers. */
  readonly ping: () => Promise<void>;
  /** How many seconds of silence are too many, once it has answered for the first time. */
  readonly silenceLimitTicks: () => number;
  readonly onSilent: (ticks: number) => void;
};

/** Asks a worker again and again whether it lives. */
export type Heartbeat = {
  /**
   * Something looks wrong: a worker that has never answered is not waited for any longer than
   * others.
   */
  doubt(): void;
  stop(): void;
};

/**
 * Begins to ask. Silence is counted in looks, not by the clock: a page that was stopped for
 * seconds, or asleep for hours, has looked once in that time, and the worker's answer is there
 * before its next look. A hidden page that records looks as often: Chromium's once a minute is not
 * for pages with a live microphone track.
 */
export function createHeartbeat(ports: HeartbeatPorts): Heartbeat {
  const { clock, ping, silenceLimitTicks, onSilent } = ports;
  let hasAnswered = false;
  let isDoubted = false;
  let isWaiting = false;
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

  function look(): void {
    if (isWaiting) silentTicks += 1;
    else ask();
    const limit = hasAnswered || isDoubted ? silenceLimitTicks() : START_TICKS;
    if (silentTicks >= limit) onSilent(silentTicks);
    else cancel = clock.after(TICK_MS, look);
  }

  look();
  return {
    doubt() {
      isDoubted = true;
    },
    stop: () => cancel(),
  };
}
