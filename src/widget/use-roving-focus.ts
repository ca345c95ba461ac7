import { type KeyboardEvent, useCallback, useMemo, useRef } from 'react';
import { activeElementOf } from '../field/dom.ts';

/** What a toolbar's own element takes, `tabIndex={-1}` besides. */
export type RovingFocus = {
  readonly ref: (element: HTMLElement | null) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onFocus: () => void;
};

const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };

/**
 * One tab stop for all buttons of a toolbar, and arrow keys, Home and End between them (ARIA
 * Authoring Practices, toolbar). Buttons may come and go. One that is disabled while it has the
 * focus leaves it to the toolbar itself, where no key presses anything, and has it back when it is
 * enabled.
 */
export function useRovingFocus(): RovingFocus {
  const toolbar = useRef<HTMLElement | null>(null);
  const current = useRef<HTMLElement | null>(null);
  /** Disabled while it had the focus, which the toolbar holds for it. */
  const lender = useRef<HTMLButtonElement | null>(null);

  const settle = useCallback(() => {
    const element = toolbar.current;
    if (!element) return;
    const active = activeElementOf(element);
    const buttons = buttonsOf(element);
    lender.current = holdFocus(element, buttons, lender.current);
    const wanted = buttons.find((button) => button === active);
    const kept = buttons.find((button) => button === current.current);
    current.current = wanted ?? kept ?? buttons[0] ?? null;
    for (const button of buttons) button.tabIndex = button === current.current ? 0 : -1;
  }, []);
  const observer = useMemo(() => new MutationObserver(settle), [settle]);
  // The focus may be taken before the observer hears why, and React tells of no event until it has
  // drawn.
  const noteLender = useCallback(({ target }: FocusEvent) => {
    if (target instanceof HTMLButtonElement && target.disabled) lender.current = target;
  }, []);

  return {
    ref: useCallback(
      (element) => {
        toolbar.current?.removeEventListener('focusout', noteLender);
        toolbar.current = element;
        observer.disconnect();
        if (!element) return;
        element.addEventListener('focusout', noteLender);
        observer.observe(element, {
          childList: true,
          subtree: true,
          attributeFilter: ['disabled'],
        });
        settle();
      },
      [observer, settle, noteLender],
    ),
    onFocus: settle,
    onKeyDown(event) {
      const buttons = buttonsOf(toolbar.current);
      const held = toolbar.current && activeElementOf(toolbar.current);
      const next = buttonAfter(event, buttons, buttons.indexOf(held as HTMLElement));
      if (next === undefined) return;
      event.preventDefault();
      next.focus();
    },
  };
}

/**
 * Borrows the focus from a button that is disabled, or gives it back; answers whom it belongs to.
 */
function holdFocus(
  toolbar: HTMLElement,
  buttons: readonly HTMLElement[],
  lender: HTMLButtonElement | null,
): HTMLButtonElement | null {
  const active = activeElementOf(toolbar);
  const { activeElement, body } = toolbar.ownerDocument;
  const isNowhere = activeElement === null || activeElement === body;
  // Browsers take the focus from a disabled button when they next lay the page out.
  const disabled = isNowhere ? lender : active;
  if (disabled instanceof HTMLButtonElement && disabled.disabled && toolbar.contains(disabled)) {
    toolbar.focus({ preventScroll: true });
    return disabled;
  }
  if (active !== toolbar || lender === null) return null;
  if (!buttons.includes(lender)) return lender;
  lender.focus({ preventScroll: true });
  return null;
}

/** From a button to the next; from the toolbar itself (-1) to the first or the last one. */
function buttonAfter(
  { key, currentTarget }: KeyboardEvent,
  buttons: readonly HTMLElement[],
  at: number,
): HTMLElement | undefined {
  if (key === 'Home') return buttons[0];
  if (key === 'End') return buttons.at(-1);
  const isMirrored = getComputedStyle(currentTarget).direction === 'rtl';
  const step = (STEPS[key] ?? 0) * (isMirrored ? -1 : 1);
  if (step === 0) return undefined;
  return at === -1 && step < 0 ? buttons.at(-1) : buttons.at((at + step) % buttons.length);
}

function buttonsOf(toolbar: HTMLElement | null): readonly HTMLElement[] {
  return [...(toolbar?.querySelectorAll<HTMLElement>('button:not(:disabled)') ?? [])];
}
