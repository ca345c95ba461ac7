/** The browser's means to keep the screen lit. */
export type ScreenPorts = {
  /** Undefined where there is no Screen Wake Lock, or the page may not have it. */
  readonly wakeLock: Pick<WakeLock, 'request'> | undefined;
  readonly page: Pick<Document, 'visibilityState' | 'addEventListener'>;
};

/** Keeps the screen lit: a phone that locks its screen takes the microphone away (iOS). */
type ScreenHold = {
  hold(): void;
  letGo(): void;
  /** Lets go for good. */
  end(): void;
};

/**
 * Holds nothing yet. The browser takes the lock away with a page that is hidden: it is asked for
 * again after that.
 */
export function holdScreen({ wakeLock, page }: ScreenPorts): ScreenHold {
  const holding = new AbortController();
  const { signal } = holding;
  let isWanted = false;
  let isAsking = false;
  let lock: WakeLockSentinel | null = null;

  async function ask(): Promise<void> {
    if (!isWanted || isAsking || !wakeLock || page.visibilityState !== 'visible') return;
    if (lock !== null && !lock.released) return;
    isAsking = true;
    try {
      lock = await wakeLock.request('screen');
    } catch {
      // A low battery, or a page that may not: recording goes on all the same.
    }
    isAsking = false;
    if (!isWanted) free();
  }

  function free(): void {
    lock?.release().catch(() => {}); // It has gone already.
    lock = null;
  }

  function letGo(): void {
    isWanted = false;
    free();
  }

  page.addEventListener('visibilitychange', () => void ask(), { signal });
  return {
    hold() {
      if (signal.aborted) return;
      isWanted = true;
      void ask();
    },
    letGo,
    end() {
      holding.abort();
      letGo();
    },
  };
}
