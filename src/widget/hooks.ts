import {
  type RefObject,
  useCallback,
  useDeferredValue,
  useInsertionEffect,
  useLayoutEffect,
  useRef,
  useSyncExternalStore,
} from 'react';
import type { Dictation } from '../core/contracts/dictation.ts';
import { INITIAL_SNAPSHOT, type Snapshot } from '../core/session/snapshot.ts';
import { activeElementOf } from '../field/dom.ts';

/**
 * A part of the snapshot, drawn again only when that part changes. `select` must give a value that
 * stays the same while nothing changed: a primitive, or an object standing in the snapshot. A page
 * that the build drew begins as it was drawn, with nothing known.
 */
export function useSnapshot<T>(dictation: Dictation, select: (snapshot: Snapshot) => T): T {
  return useSyncExternalStore(
    dictation.subscribe,
    () => select(dictation.getSnapshot()),
    () => select(INITIAL_SNAPSHOT),
  );
}

/**
 * Gives the value drawn last, for handlers and effects that must not change with it. Not to be called
 * while drawing, which may be thrown away. The function stays the same.
 */
export function useLatest<T>(value: T): () => T {
  const latest = useRef(value);
  // Before any effect of this commit that may ask for it.
  useInsertionEffect(() => {
    latest.current = value;
  });
  return useCallback(() => latest.current, []);
}

/**
 * False at once, but true only when what else has changed has been drawn: a button answers a press
 * before what the press brings is made.
 */
export function useDrawnLater(isWanted: boolean): boolean {
  const isDue = useDeferredValue(isWanted);
  return isWanted && isDue;
}

/** When what `ref` points at is taken away with the focus in it, `fallback` gets the focus. */
export function useFocusFallback(
  ref: RefObject<HTMLElement | null>,
  fallback: HTMLElement | null,
): void {
  const latest = useLatest(fallback);

  useLayoutEffect(() => {
    const element = ref.current;
    return () => {
      const active = element && activeElementOf(element);
      if (active && element.contains(active)) latest()?.focus({ preventScroll: true });
    };
  }, [ref, latest]);
}
