import type { CancelTimer, Clock } from '../core/clock.ts';

/** The worklet tells of itself after each second of audio: nothing for so long is a standstill. */
const STILL_MS = 1_500;

/**
 * How long mending may take before the person is told, which is 2.25 to 3.25 s after the last
 * sound.
 */
const MEND_MS = 1_750;

/**
 * A page that was busy, or asleep, has the worklet's signs waiting behind its timer: it looks once
 * more.
 */
const LOOK_AGAIN_MS = 250;

/** A timer that comes so late: the computer slept. A page may be busy, or hidden, for seconds. */
const SLEPT_MS = 10_000;

export type FrameWatchPorts = {
  readonly clock: Clock;
  /** Nothing comes: called at once, and again and again until something does. */
  readonly mend: () => void;
  /** Mending has not helped. */
  readonly onStalled: () => void;
  /**
   * Audio comes again after `unheardMs`, or after a false alarm (0). `hasSlept`: the computer did.
   */
  readonly onFlowing: (unheardMs: number, hasSlept: boolean) => void;
};

/** Watches that audio comes, by nothing but its coming. */
export type FrameWatch = ReturnType<typeof createFrameWatch>;

/**
 * Begins to watch. Time is counted in timers, each looked at twice, so that neither a busy page nor
 * a clock that is set makes an alarm or hides one.
 */
export function createFrameWatch(ports: FrameWatchPorts) {
  const { clock, mend, onStalled, onFlowing } = ports;
  let state: 'watching' | 'stalled' | 'paused' | 'ended' = 'watching';
  let hasSlept = false;
  /** By the computer's clock, for the length of a stall that is over before anything comes. */
  let heardAtMs = clock.nowMs();
  let cancel: CancelTimer = () => {};

  /** `then`, if nothing has been heard by then, nor when the page has had a moment to hear it. */
  function ifSilent(delayMs: number, then: () => void): void {
    cancel();
    const dueMs = clock.nowMs() + delayMs;
    cancel = clock.after(delayMs - LOOK_AGAIN_MS, () => {
      if (clock.nowMs() - dueMs > SLEPT_MS) hasSlept = true;
      cancel = clock.after(LOOK_AGAIN_MS, then);
    });
  }

  function watch(): void {
    hasSlept = false;
    ifSilent(STILL_MS, () => {
      mend();
      ifSilent(MEND_MS, stall);
    });
  }

  function stall(): void {
    state = 'stalled';
    onStalled();
    mendAgain();
  }

  function mendAgain(): void {
    cancel = clock.after(MEND_MS, () => {
      mend();
      mendAgain();
    });
  }

  /** Whoever was alarmed is told that it is over. */
  function leave(next: typeof state): void {
    cancel();
    if (state === 'stalled') onFlowing(Math.max(0, clock.nowMs() - heardAtMs), hasSlept);
    if (state !== 'ended') state = next;
  }

  watch();
  return {
    /** Another second of audio has gone through, and for so long none did before it. */
    heard(unheardMs: number) {
      heardAtMs = clock.nowMs();
      if (state === 'paused' || state === 'ended') return;
      const wasStalled = state === 'stalled';
      state = 'watching';
      if (wasStalled || unheardMs > 0)
        onFlowing(unheardMs, hasSlept || (!wasStalled && unheardMs > SLEPT_MS));
      watch();
    },
    /** Nobody listens: nothing is told until `resume`. */
    pause: () => leave('paused'),
    resume() {
      if (state !== 'paused') return;
      state = 'watching';
      heardAtMs = clock.nowMs();
      mend();
      watch();
    },
    end: () => leave('ended'),
  };
}
