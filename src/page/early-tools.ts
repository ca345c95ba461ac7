import { caretRect } from '../field/caret-rect.ts';
import type { FieldCommands } from '../widget/field-props.ts';
import { fixedOrigin } from '../widget/fixed-origin.ts';
import { TOOLBAR_OFFSET_PX, WINDOW_PADDING_PX } from '../widget/toolbar-place.ts';
import { showOnTop } from '../widget/top-layer.ts';
import { createEarlyPress, type EarlyPress } from './early-press.ts';
import type { Settings } from './settings.ts';

/** Diktera before its own script: drawn by the build, it takes a press and keeps it. */
export type EarlyTools = Pick<EarlyPress, 'beginWith' | 'state'> & {
  /**
   * The real tools are about to be drawn. A press that waits is made with the field's commands, if
   * the person is still in it. These are gone when the real ones can be seen.
   */
  retire(commands: FieldCommands): void;
  /** The real ones will never come: that is said. */
  giveUp(): void;
};

/** Null where the build drew nothing. */
export function createEarlyTools({
  interfaceLanguage,
  talkKey,
}: Pick<Settings, 'interfaceLanguage' | 'talkKey'>): EarlyTools | null {
  const field = document.querySelector<HTMLElement>('.field-text');
  const drawn = document.querySelector<HTMLTemplateElement>(`#early-${interfaceLanguage}`);
  const copies = drawn ? [...document.importNode(drawn.content, true).children] : [];
  const [atRest, waiting, recording, missing] = copies.filter(
    (each) => each instanceof HTMLElement,
  );
  if (!(field && atRest && waiting && recording && missing)) return null;
  const looks = { 'at-rest': atRest, waiting, recording };
  const toolbars = Object.values(looks);
  const ending = new AbortController();
  const { signal } = ending;
  const sheet = field.parentElement ?? field;
  /** Set when the real tools are about to be drawn. */
  let commands: FieldCommands | null = null;

  const hasFocus = (): boolean => document.activeElement === field;
  const draw = (): void => {
    const shown = looks[press.state()];
    for (const toolbar of toolbars) if (toolbar !== shown) toolbar.remove();
    // What listens is to be seen, wherever the focus is.
    if (hasFocus() || shown !== atRest) {
      if (!shown.isConnected) document.body.append(shown);
      showOnTop(shown);
      place(shown, caretRect(field));
    } else shown.remove();
  };
  const press = createEarlyPress({ field, toolbars, talkKey, signal, draw });

  const settle = (): void => {
    if (commands === null) return;
    press.repeat(commands);
    // A press that is half done needs the button that it began on.
    if (press.isHalfDone()) return;
    if (!hasFocus() || sheet.querySelector('.toolbar:not([style*="hidden"])')) end();
  };
  const watch = new MutationObserver(settle);

  function end(): void {
    ending.abort();
    watch.disconnect();
    for (const toolbar of toolbars) toolbar.remove();
  }

  const changed = (): void => {
    if (!hasFocus()) press.forget();
    // What was pressed is shown by the real ones.
    if (commands === null) draw();
    else settle();
  };
  // A focus that leaves has left when the event is over.
  for (const type of ['focusin', 'focusout']) {
    field.addEventListener(type, () => queueMicrotask(changed), { signal });
  }
  for (const type of ['selectionchange', 'scroll']) {
    document.addEventListener(type, changed, { signal, capture: true, passive: true });
  }
  for (const type of ['resize', 'scroll']) {
    window.visualViewport?.addEventListener(type, changed, { signal });
  }
  // After the click that belongs to it.
  for (const type of ['pointerup', 'pointercancel']) {
    document.addEventListener(type, () => setTimeout(settle), { signal });
  }
  draw();

  return {
    beginWith: press.beginWith,
    state: press.state,
    retire(real) {
      commands = real;
      watch.observe(sheet, { childList: true, subtree: true, attributeFilter: ['style'] });
      settle();
    },
    giveUp() {
      // Nobody would see that it records.
      press.end();
      end();
      document.querySelector('.notices')?.append(missing);
    },
  };
}

/** Below the caret, or above it where there is no room; within what is seen of the window. */
function place(toolbar: HTMLElement, caret: DOMRect): void {
  const { left, top, width, height } = fixedOrigin(toolbar);
  const below = caret.bottom + TOOLBAR_OFFSET_PX;
  // A keyboard may lie over the window's end.
  const end =
    top + (visualViewport ? visualViewport.offsetTop + visualViewport.height : innerHeight);
  const isRoom = below + height + WINDOW_PADDING_PX <= end;
  const right = Math.max(WINDOW_PADDING_PX, innerWidth - width - WINDOW_PADDING_PX);
  toolbar.style.top = `${(isRoom ? below : caret.top - TOOLBAR_OFFSET_PX - height) - top}px`;
  toolbar.style.left = `${Math.min(Math.max(caret.left - left, WINDOW_PADDING_PX), right)}px`;
}
