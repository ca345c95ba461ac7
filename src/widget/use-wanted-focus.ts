import { type RefObject, useLayoutEffect } from 'react';
import { activeElementOf } from '../field/tree-scope.ts';

/**
 * The recording that is to have the keyboard's focus when it is next drawn, as a row or as a line of
 * the bin; null for none.
 */
export type WantedFocus = RefObject<string | null>;

/**
 * Gives the focus to `target` when it begins to stand for the recording that is to have it. Whoever
 * has gone on to another place meanwhile, to the text above all, is left there.
 */
export function useWantedFocus(
  target: RefObject<HTMLElement | null>,
  wanted: WantedFocus,
  ids: readonly string[],
): void {
  const all = ids.join('\n');
  useLayoutEffect(() => {
    if (wanted.current === null || !all.split('\n').includes(wanted.current)) return;
    wanted.current = null;
    const element = target.current;
    if (element && !isFocusElsewhere(element)) element.focus({ preventScroll: true });
  }, [all, wanted, target]);
}

/** Whether something outside of the list, or the options, that an element belongs to has it. */
function isFocusElsewhere(element: HTMLElement): boolean {
  const { activeElement, body } = element.ownerDocument;
  if (activeElement === null || activeElement === body) return false;
  const around = element.closest('section, fieldset, [role="dialog"]');
  return !around?.contains(activeElementOf(element));
}
