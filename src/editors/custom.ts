import { createSurfaceField } from '../field/create-editable-field.ts';
import { activeElementOf } from '../field/dom.ts';
import type { EditableField } from '../field/editable-field.ts';
import { PAGE_TURN_MS } from '../field/page-turn.ts';
import type { CursorPlace, TextEdit, TextSelection, TextSurface } from '../field/text-surface.ts';

export type { CursorPlace, EditableField, TextEdit, TextSelection };

/**
 * An editor that keeps its own document, as it is told of to Diktera. Offsets are in UTF-16 units of
 * `text()`.
 */
export type CustomEditor = {
  /** Where it is typed in. */
  readonly element: HTMLElement;
  /**
   * True while the user may change the text. A text waits meanwhile: let it be false, too, where the
   * editor takes none, as one that is hidden and needs the focus for it.
   */
  isEditable(): boolean;
  /** True while an input method composes of which the page hears no event. @default never */
  isComposing?(): boolean;
  /** All of it. */
  text(): string;
  /** The selection, also while the focus is elsewhere. */
  selection(): TextSelection;
  /** Sets the selection and leaves the focus where it is; the caret is brought into view on demand. */
  select(selection: TextSelection, isShown: boolean): void;
  /**
   * Tells of every change of the text until the answer is called; with the edits, each in the text
   * that those before it have left, where the editor knows them.
   */
  watch(onChange: (edits?: readonly TextEdit[]) => void): () => void;
  /** One transaction, and one undo step that takes nothing else along. */
  replace(place: CursorPlace, text: string): void;
  /** The caret's rectangle in client coordinates: the toolbar is placed at it. */
  caretRect(): DOMRect;
  /** Gives it the focus, where that is not by its element's own `focus`. */
  focus?(): void;
  /** Called when the field is disposed of. */
  dispose?(): void;
};

/** Some keyboards compose for as long as the caret stands at a word. */
const COMPOSITION_PATIENCE_MS = 5_000;

/**
 * Makes a field of an editor, for `attachDictation`: an adapter is what this is given. It sees to the
 * blanks, to places that move with the text, to texts that come late or piece by piece, and to what
 * the page makes of them. Nothing is ever typed into the element. `dispose` of the field ends it.
 */
export function customField(editor: CustomEditor): EditableField {
  const { element } = editor;
  const listening = new AbortController();
  const active = activeElementOf(element);
  /** The selection counts as the user's only once the focus has been in the editor. */
  let wasVisited = active !== null && element.contains(active);
  const visit = (): void => {
    wasVisited = true;
  };
  element.addEventListener('focusin', visit, { signal: listening.signal });
  let isCaretSeen = false;
  // The toolbar gives the focus back to the element, and knows of no editor.
  if (editor.focus) element.focus = editor.focus;

  const surface: TextSurface = {
    element,
    isMultiline: true,
    isEditable: editor.isEditable,
    isComposing: () => editor.isComposing?.() ?? false,
    maxLength: () => Number.POSITIVE_INFINITY,
    readText: editor.text,
    visibleText: editor.text,
    readSelection: editor.selection,
    lastSelection: () => (wasVisited ? editor.selection() : null),
    select: (selection) => editor.select(selection, isCaretSeen),
    watch: editor.watch,
    replace(place, text) {
      const caret = editor.caretRect();
      const box = element.getBoundingClientRect();
      isCaretSeen = caret.top >= box.top && caret.bottom <= box.bottom;
      editor.replace(place, text);
    },
    offsetAtPoint: () => null,
    dispose() {
      listening.abort();
      // The element's class has it again.
      if (editor.focus) Reflect.deleteProperty(element, 'focus');
      editor.dispose?.();
    },
  };
  return createSurfaceField(surface, {
    caretRect: editor.caretRect,
    turnMs: PAGE_TURN_MS,
    compositionMs: COMPOSITION_PATIENCE_MS,
    onUse() {},
    valueInputs: async () => null,
  });
}
