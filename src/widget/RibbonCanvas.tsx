import { useEffect, useRef } from 'react';
import type { Dictation } from '../core/contracts/dictation.ts';
import { showRibbon } from './show-ribbon.ts';
import { useSnapshot } from './use-snapshot.ts';

/**
 * The last frames, one bar each: how loud, and whether heard as speech. For the eye only: its words
 * are in the recording bar. Drawn past React, and past the main thread where that can be.
 */
export function RibbonCanvas({ dictation }: { readonly dictation: Dictation }) {
  const host = useRef<HTMLSpanElement>(null);
  // Levels come from a worker: another one tells them through another port.
  const takeovers = useSnapshot(dictation, ({ session }) => session.takeovers);
  // biome-ignore lint/correctness/useExhaustiveDependencies: takeovers has the port asked for anew.
  useEffect(() => {
    if (host.current) return showRibbon(host.current, dictation.levels());
  }, [dictation, takeovers]);
  return <span ref={host} className="ribbon" aria-hidden />;
}
