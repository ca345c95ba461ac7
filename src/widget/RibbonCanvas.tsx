import { useDeferredValue, useEffect, useRef, useSyncExternalStore } from 'react';
import type { Dictation } from '../core/contracts/dictation.ts';
import { showRibbon } from './show-ribbon.ts';
import { useSnapshot } from './use-snapshot.ts';

/**
 * A bar each 288 ms: for each the browser puts the picture of the page together anew, which costs
 * more than all else that is done for a frame.
 */
const FRAMES_PER_BAR = 3;

/**
 * The last moments, one bar each: how loud, and whether heard as speech. For the eye only: its words
 * are in the recording bar. Drawn past React, and not at all while nobody can see the page.
 */
export function RibbonCanvas({ dictation }: { readonly dictation: Dictation }) {
  const host = useRef<HTMLSpanElement>(null);
  // Levels come from a worker: another one tells them through another port.
  const takeovers = useSnapshot(dictation, ({ session }) => session.takeovers);
  const isSeen = useIsSeen();
  // Once the page shows that it records: to make a canvas in that task would have it laid out twice.
  const isDue = useDeferredValue(true, false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: takeovers has the port asked for anew.
  useEffect(() => {
    if (!(host.current && isSeen && isDue)) return;
    return showRibbon(host.current, dictation.levels(FRAMES_PER_BAR));
  }, [dictation, takeovers, isSeen, isDue]);
  return <span ref={host} className="ribbon" aria-hidden />;
}

function subscribe(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
}

/** Whether the page is in front: false behind another tab, and in a window put away. */
function useIsSeen(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => document.visibilityState === 'visible',
    () => true,
  );
}
