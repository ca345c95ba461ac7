import { type RefObject, useLayoutEffect } from 'react';
import { activeElementOf } from '../field/dom.ts';
import { useLatest } from './use-latest.ts';

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
