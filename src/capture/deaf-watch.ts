import type { CancelTimer, Clock } from '../core/clock.ts';

/** A track stays muted for a moment after a call, or when a page is shown again. */
const GRACE_MS = 1_000;

/** Told of once a second: a microphone that has just been given back may begin with zeros. */
const SILENT_SECONDS = 2;

/** After a try, and twice as long after each further one. */
const AGAIN_AFTER_MS = 10_000;

export type DeafWatchPorts = {
  readonly clock: Clock;
  readonly page: Pick<Document, 'visibilityState' | 'addEventListener'>;
  /** Whether the system has muted the microphone that is heard now. */
  readonly isMuted: () => boolean;
  /**
   * Opens the microphone anew, and takes it if it is still wanted when it is there. False when it
   * was refused.
   */
  readonly renew: (isStillWanted: () => boolean) => Promise<boolean>;
};

/** Sees to it that a microphone hears again after the system had it. */
export type DeafWatch = ReturnType<typeof watchDeafness>;

/**
 * After a telephone call iOS may leave a microphone muted, or live and full of zeros, for ever: only
 * a new one hears. Suspected after a call, and when the page is shown again with a muted
 * microphone, until a sound is heard: so neither a quiet room nor somebody's own mute button is
 * taken for it. Nobody is asked twice: who refuses is left alone, and a prompt that is open waits.
 */
export function watchDeafness({ clock, page, isMuted, renew }: DeafWatchPorts) {
  const watching = new AbortController();
  let isSuspected = false;
  let silentSeconds = 0;
  /** What is told next is of the time before, too. */
  let isFirst = false;
  let againAfterMs = AGAIN_AFTER_MS;
  /** Neither in its moment of grace nor just after a try. */
  let isDue = false;
  let isTrying = false;
  let cancel: CancelTimer = () => {};

  const isDeaf = (): boolean => isSuspected && (isMuted() || silentSeconds >= SILENT_SECONDS);

  function suspect(): void {
    isSuspected = true;
    silentSeconds = 0;
    isFirst = true;
    againAfterMs = AGAIN_AFTER_MS;
    dueAfter(GRACE_MS);
  }

  function dueAfter(delayMs: number): void {
    isDue = false;
    cancel();
    cancel = clock.after(delayMs, () => {
      isDue = true;
      look();
    });
  }

  function look(): void {
    if (isDue && !isTrying && isDeaf()) void tryAnew();
  }

  async function tryAnew(): Promise<void> {
    isTrying = true;
    const isAllowed = await renew(isDeaf);
    isTrying = false;
    if (watching.signal.aborted) return;
    if (!isAllowed) isSuspected = false;
    silentSeconds = 0;
    dueAfter(againAfterMs);
    againAfterMs *= 2;
  }

  page.addEventListener(
    'visibilitychange',
    () => {
      if (page.visibilityState === 'visible' && isMuted() && !isSuspected) suspect();
    },
    { signal: watching.signal },
  );

  return {
    /** A telephone call is over: from now on the microphone must hear. */
    givenBack: suspect,
    /** Another second of audio has gone through; `isSilent` if it was nothing but zeros. */
    heard(isSilent: boolean) {
      if (isFirst) {
        isFirst = false;
        return;
      }
      silentSeconds = isSilent ? silentSeconds + 1 : 0;
      if (!isSilent && !isMuted()) isSuspected = false;
      look();
    },
    end() {
      watching.abort();
      isSuspected = false;
      cancel();
    },
  };
}
