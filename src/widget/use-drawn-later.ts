import { useDeferredValue } from 'react';

/**
 * False at once, but true only when what else has changed has been drawn: a button answers a press
 * before what the press brings is made.
 */
export function useDrawnLater(isWanted: boolean): boolean {
  const isDue = useDeferredValue(isWanted);
  return isWanted && isDue;
}
