import { type KeyboardEvent, useCallback, useLayoutEffect, useRef } from 'react';

/** What a toolbar's own element takes. */
export type RovingFocus = {
  readonly ref: (element: HTMLElement | null) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onFocus: () => void;
};

const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };

/**
 * One tab stop for all buttons of a toolbar, and arrow keys, Home and End between them (ARIA
 * Authoring Practices, toolbar). Buttons may come and go.
 */
export function useRovingFocus(): RovingFocus {
  const toolbar = useRef<HTMLElement | null>(null);
  const current = useRef<HTMLElement | null>(null);

  const settle = useCallback((wanted?: Element | null) => {
    const buttons = buttonsOf(toolbar.current);
    const isThere = (button: Element | null | undefined) => buttons.some((own) => own === button);
    if (wanted instanceof HTMLElement && isThere(wanted)) current.current = wanted;
    if (!isThere(current.current)) current.current = buttons[0] ?? null;
    for (const button of buttons) button.tabIndex = button === current.current ? 0 : -1;
  }, []);

  useLayoutEffect(() => settle());

  return {
    ref(element) {
      toolbar.current = element;
    },
    onFocus: () => settle(document.activeElement),
    onKeyDown(event) {
      const buttons = buttonsOf(toolbar.current);
      const held = buttons.find((button) => button === document.activeElement);
      const next = held && buttonAfter(event, buttons, buttons.indexOf(held));
      if (next === undefined) return;
      event.preventDefault();
      next.focus();
    },
  };
}

function buttonAfter(
  { key, currentTarget }: KeyboardEvent,
  buttons: readonly HTMLElement[],
  at: number,
): HTMLElement | undefined {
  if (key === 'Home') return buttons[0];
  if (key === 'End') return buttons.at(-1);
  const isMirrored = getComputedStyle(currentTarget).direction === 'rtl';
  const step = (STEPS[key] ?? 0) * (isMirrored ? -1 : 1);
  return step === 0 ? undefined : buttons.at((at + step) % buttons.length);
}

function buttonsOf(toolbar: HTMLElement | null): readonly HTMLElement[] {
  return [...(toolbar?.querySelectorAll<HTMLElement>('button:not(:disabled)') ?? [])];
}
