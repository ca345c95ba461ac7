import { flip, offset, shift, useFloating } from '@floating-ui/react-dom';
import { cloneElement, type ReactElement, useEffect, useState } from 'react';
import { showOnTop } from './on-top.ts';

/** A pointer rests so long before it is told. */
const DELAY_MS = 700;
/** A neighbour's tooltip that follows within this time comes at once. */
const SKIP_DELAY_MS = 300;

/** Runs for that time after a tooltip has gone; one for all of them. */
let skipping: ReturnType<typeof setTimeout> | null = null;

type TooltipProps = {
  readonly label: string;
  /** One element that takes a ref. */
  readonly children: ReactElement<Record<string, unknown>>;
};

/**
 * Says what a button does when the pointer or the keyboard's focus rests on it; gone when the button
 * is pressed, which needs no explanation then, and at Escape. Below it, away from the line being
 * written. For the eye only: the button has its own name, and the same words again as a description
 * would be noise.
 */
export function Tooltip({ label, children }: TooltipProps) {
  const [button, setButton] = useState<Element | null>(null);
  const isOpen = useResting(button);
  const { refs, floatingStyles } = useFloating({
    open: isOpen,
    strategy: 'fixed',
    placement: 'bottom',
    elements: { reference: button },
    middleware: [offset(8), flip({ padding: 8 }), shift({ padding: 8 })],
  });
  return (
    <>
      {cloneElement(children, { ref: setButton })}
      {isOpen && (
        <div
          ref={(element) => {
            refs.setFloating(element);
            showOnTop(element);
          }}
          popover="manual"
          className="tooltip"
          aria-hidden
          style={floatingStyles}
        >
          {label}
        </div>
      )}
    </>
  );
}

/** True while the pointer, or the keyboard's focus, rests on a button. */
function useResting(button: Element | null): boolean {
  const [isResting, setIsResting] = useState(false);
  useEffect(() => {
    if (!button) return;
    const listening = new AbortController();
    const on = (types: readonly string[], listener: (event: Event) => void): void => {
      for (const type of types)
        button.addEventListener(type, listener, { signal: listening.signal });
    };
    let timer: ReturnType<typeof setTimeout>;
    const end = (): void => {
      clearTimeout(timer);
      setIsResting(false);
    };
    on(['pointerenter'], (event) => {
      // A finger does not rest on what it does not press.
      if ((event as PointerEvent).pointerType === 'touch') return;
      timer = setTimeout(setIsResting, skipping === null ? DELAY_MS : 0, true);
    });
    on(['focus'], () => setIsResting(button.matches(':focus-visible')));
    on(['pointerleave', 'pointerdown', 'blur'], end);
    const endAtEscape = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') end();
    };
    // Before anybody keeps it to himself.
    const options = { capture: true, signal: listening.signal };
    document.addEventListener('keydown', endAtEscape, options);
    return () => {
      listening.abort();
      end();
    };
  }, [button]);
  useEffect(() => {
    if (!isResting) return;
    return () => {
      if (skipping !== null) clearTimeout(skipping);
      skipping = setTimeout(() => {
        skipping = null;
      }, SKIP_DELAY_MS);
    };
  }, [isResting]);
  return isResting;
}
