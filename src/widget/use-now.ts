import { useEffect, useState } from 'react';

/** The time, ms since 1970, looked at anew every `everyMs` while it is wanted. */
export function useNow(everyMs: number, isWanted: boolean): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    if (!isWanted) return;
    const look = (): void => setNowMs(Date.now());
    look();
    const timer = setInterval(look, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, isWanted]);
  return nowMs;
}
