import { useEffect, useState } from 'react';

/** True when something has been wanted for so long; false at once when it no longer is. */
export function useLater(isWanted: boolean, afterMs: number): boolean {
  const [isDue, setIsDue] = useState(false);
  useEffect(() => {
    if (!isWanted) return;
    const timer = setTimeout(() => setIsDue(true), afterMs);
    return () => {
      clearTimeout(timer);
      setIsDue(false);
    };
  }, [isWanted, afterMs]);
  return isWanted && isDue;
}
