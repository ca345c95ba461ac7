import { useEffect, useState } from 'react';
import type { Dictation } from '../core/contracts/dictation.ts';

/** The beginning of the page is over by then, and nobody has read it yet. */
const REST_MS = 500;

type LaterParts = typeof import('./later-parts.ts');

/**
 * The parts that say something of their own accord, fetched when the page has come to life; null
 * before. Who begins to speak at once has the network for that.
 */
export function useLaterParts(dictation: Dictation): LaterParts | null {
  const [parts, setParts] = useState<LaterParts | null>(null);
  useEffect(() => {
    const fetchAtRest = (): void => {
      if (dictation.getSnapshot().session.phase !== 'idle') return;
      stop();
      // The page works without.
      import('./later-parts.ts').then(setParts, () => {});
    };
    let stopListening = (): void => {};
    const timer = setTimeout(() => {
      stopListening = dictation.subscribe(fetchAtRest);
      fetchAtRest();
    }, REST_MS);
    const stop = (): void => {
      clearTimeout(timer);
      stopListening();
    };
    return stop;
  }, [dictation]);
  return parts;
}
