import { useCallback, useEffect, useState } from 'react';
import { COPY_CONFIRMATION_MS } from './CopyButton.tsx';

/** What was just done with a text, said for as long as a copy is. */
export type Done = 'copied' | 'inserted' | null;

export function useDone(): { readonly done: Done; confirm(what: Done): void } {
  const [done, setDone] = useState<{ readonly what: Done }>({ what: null });
  useEffect(() => {
    if (done.what === null) return;
    const timer = setTimeout(() => setDone({ what: null }), COPY_CONFIRMATION_MS);
    return () => clearTimeout(timer);
  }, [done]);
  return { done: done.what, confirm: useCallback((what) => setDone({ what }), []) };
}
