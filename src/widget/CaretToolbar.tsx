import { autoUpdate, type Middleware, useFloating } from '@floating-ui/react-dom';
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  startTransition,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { clientBox } from '../field/caret-rect.ts';
import { activeElementOf } from '../field/dom.ts';
import type { EditableField } from '../field/editable-field.ts';
import { useFocusFallback } from './hooks.ts';
import { showOnTop, TOOLBAR_OFFSET_PX, watchControls } from './on-top.ts';
import { pressOnce } from './press.ts';
import { useStrings } from './strings.tsx';

type CaretToolbarProps = {
  readonly field: EditableField;
  /** Escape was pressed in it: the focus belongs in the text again. */
  readonly onEscape: () => void;
  readonly children: ReactNode;
};

/**
 * Floats under the caret and follows it, and steps aside: it is nowhere while one types, never lies
 * on text or on controls of our own, is no wider than the field, and pale until the pointer comes
 * near. Hidden while the caret is scrolled out of the field.
 */
export function CaretToolbar({ field, onEscape, children }: CaretToolbarProps) {
  const strings = useStrings();
  const roving = useRovingFocus();
  const { refs, floatingStyles, update, middlewareData, isPositioned } = useFloating({
    strategy: 'fixed',
    placement: 'bottom-start',
    middleware: [steppingAside(field)],
    // A scroll around the field hides the toolbar instead.
    whileElementsMounted: (caret, toolbar, follow) =>
      autoUpdate(caret, toolbar, follow, { ancestorScroll: false }),
  });

  useLayoutEffect(() => {
    refs.setReference({
      getBoundingClientRect: () => field.caretRect(),
      contextElement: field.element,
    });
  }, [field, refs]);

  const toolbarRef = useRef<HTMLDivElement | null>(null);
  const isAway = useAway(field, toolbarRef);
  useEffect(() => {
    // Nobody sees where it is: each key would have the text measured.
    if (isAway) return;
    void fetchStepAside().then(update);
    update();
    const listening = new AbortController();
    const { signal } = listening;
    // A selection in a text control of a shadow tree sends no event outside of it.
    for (const scope of new Set([document, field.element.getRootNode()])) {
      scope.addEventListener('selectionchange', update, { signal });
    }
    // With a keyboard up the page is moved under the window by this alone.
    window.visualViewport?.addEventListener('scroll', update, { signal, passive: true });
    field.element.addEventListener('input', update, { signal });
    field.element.addEventListener('scroll', update, { signal, passive: true });
    const endControls = watchControls(update);
    return () => {
      listening.abort();
      endControls();
    };
  }, [field, update, isAway]);

  useFocusFallback(toolbarRef, field.element);
  const { ref: rovingRef } = roving;
  const { setFloating } = refs;
  const setElement = useCallback(
    (element: HTMLDivElement | null) => {
      toolbarRef.current = element;
      // It is unseen until it has its place, which is found in a task of its own.
      startTransition(() => setFloating(element));
      rovingRef(element);
      showOnTop(element);
    },
    [setFloating, rovingRef],
  );

  const isSeen = isPositioned && !middlewareData.steppingAside?.isOut;
  return (
    <div
      ref={setElement}
      popover="manual"
      className="toolbar at-caret"
      data-is-away={isAway}
      role="toolbar"
      aria-label={strings.toolbarLabel}
      tabIndex={-1}
      style={{ ...floatingStyles, visibility: isSeen ? 'visible' : 'hidden' }}
      // A press must not take the caret out of the text.
      onMouseDown={(event) => event.preventDefault()}
      onFocus={roving.onFocus}
      onKeyDown={(event) => {
        pressOnce(event);
        if (event.key === 'Escape') onEscape();
        else roving.onKeyDown(event);
      }}
    >
      {children}
    </div>
  );
}

/** Its place: under the caret until the script has come that looks for what is free. */
function steppingAside(field: EditableField): Middleware {
  return {
    name: 'steppingAside',
    fn({ rects: { reference }, elements: { floating } }) {
      const caret = field.caretRect();
      const box = clientBox(field.element);
      const isOut = caret.bottom <= box.top || caret.top >= box.bottom;
      const place = isOut || !stepAside ? null : stepAside(field.element, caret, floating);
      return {
        x: reference.x + (place ? place.left - caret.left : 0),
        y: reference.y + (place ? place.top - caret.top : reference.height + TOOLBAR_OFFSET_PX),
        data: { isOut: isOut || (stepAside && place === null) },
      };
    },
  };
}

let stepAside: typeof import('./free-place.ts').stepAside | null = null;
let stepping: Promise<void> | null = null;

/** Asked for again where it could not be had. */
function fetchStepAside(): Promise<void> {
  stepping ??= import('./free-place.ts').then(
    (script) => {
      stepAside = script.stepAside;
    },
    () => {
      stepping = null;
    },
  );
  return stepping;
}

/** The pointer is near within this distance. */
const NEAR_PX = 80;

/** Keys that write, beside those of one letter; an input method tells none. */
const WRITING_KEYS: readonly string[] = ['Enter', 'Backspace', 'Delete', 'Process', 'Unidentified'];

/**
 * True while one types. It comes back with the pointer, with a press, and with the focus in it. Says
 * beside that whether the pointer is near.
 */
function useAway(field: EditableField, toolbar: RefObject<HTMLElement | null>): boolean {
  const [isAway, setIsAway] = useState(false);
  useEffect(() => {
    const { element } = field;
    const listening = new AbortController();
    const options = { signal: listening.signal, capture: true, passive: true };
    const appear = (): void => setIsAway(false);
    const onKey = ({ key, ctrlKey, metaKey, altKey }: globalThis.KeyboardEvent): void => {
      const isCommand = (ctrlKey || metaKey) && !altKey;
      if (!isCommand && (key.length === 1 || WRITING_KEYS.includes(key))) setIsAway(true);
    };
    const onPointer = ({ clientX, clientY }: PointerEvent): void => {
      appear();
      const box = toolbar.current?.getBoundingClientRect();
      if (!box) return;
      const aside = Math.max(box.left - clientX, clientX - box.right, 0);
      const above = Math.max(box.top - clientY, clientY - box.bottom, 0);
      if (toolbar.current)
        toolbar.current.dataset.isNear = String(Math.hypot(aside, above) <= NEAR_PX);
    };
    element.addEventListener('keydown', onKey, options);
    element.addEventListener('compositionstart', () => setIsAway(true), options);
    document.addEventListener('pointermove', onPointer, options);
    document.addEventListener('pointerdown', appear, options);
    toolbar.current?.addEventListener('focusin', appear, options);
    return () => listening.abort();
  }, [field, toolbar]);
  return isAway;
}

const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };

/**
 * One tab stop for all buttons of a toolbar, and arrow keys, Home and End between them (ARIA
 * Authoring Practices, toolbar). Buttons may come and go. One that is disabled while it has the
 * focus leaves it to the toolbar itself, where no key presses anything, and has it back when it is
 * enabled.
 */
function useRovingFocus() {
  const toolbar = useRef<HTMLElement | null>(null);
  const current = useRef<HTMLElement | null>(null);
  /** Disabled while it had the focus, which the toolbar holds for it. */
  const lender = useRef<HTMLButtonElement | null>(null);
  const hadFocus = useRef(false);

  const settle = useCallback(() => {
    const element = toolbar.current;
    if (!element) return;
    const active = activeElementOf(element);
    const buttons = buttonsOf(element);
    lender.current = holdFocus(element, buttons, lender.current);
    const wanted = buttons.find((button) => button === active);
    const kept = buttons.find((button) => button === current.current);
    const isGone = current.current !== null && !current.current.isConnected;
    current.current = wanted ?? kept ?? buttons[0] ?? null;
    // A button that goes with the focus on it leaves that to the first one.
    if (
      isGone &&
      hadFocus.current &&
      element.ownerDocument.activeElement === element.ownerDocument.body
    )
      current.current?.focus({ preventScroll: true });
    hadFocus.current = element.contains(activeElementOf(element));
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
      (element: HTMLElement | null) => {
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
    onKeyDown(event: KeyboardEvent) {
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
 * Borrows the focus from a disabled button, or gives it back; returns the button that it belongs to.
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
