import { DikteraError } from '../core/errors.ts';
import { caretRect } from './caret-rect.ts';
import { createContentEditableSurface } from './contenteditable-surface.ts';
import type { EditableField } from './editable-field.ts';
import { isTextControl } from './node-kinds.ts';
import { PAGE_TURN_MS } from './page-turn.ts';
import { createSurfaceField } from './surface-field.ts';
import { createTextControlSurface } from './text-control-surface.ts';
import type { TextSurface } from './text-surface.ts';

/** Options of `createEditableField`; all may be left out. */
export type EditableFieldOptions = {
  /** How long the page is given to cut or change what was put in, in ms. @default 350 */
  readonly turnMs?: number;
  /**
   * How long an insertion waits for an input method to have done with its word, in ms.
   * @default 5,000
   */
  readonly compositionMs?: number;
  /**
   * Told when the field has a first saved cursor, and when it has none any more.
   * @default nobody is
   */
  readonly onUse?: (isUsed: boolean) => void;
};

/**
 * Some keyboards, most of all on phones, compose for as long as the caret stands at a word: what
 * waits for their end would wait for ever.
 */
const COMPOSITION_PATIENCE_MS = 5_000;

/**
 * A field for a text area, an input of type text, search, tel or url, or an element with
 * `contenteditable`. Throws `bad-option` for any other element: inputs of type email and number
 * have no selection that a script can read.
 */
export function createEditableField(
  element: HTMLElement,
  options: EditableFieldOptions = {},
): EditableField {
  const { turnMs = PAGE_TURN_MS, compositionMs = COMPOSITION_PATIENCE_MS } = options;
  return createSurfaceField(createTextSurface(element), {
    caretRect: () => caretRect(element),
    turnMs,
    compositionMs,
    onUse: options.onUse ?? (() => {}),
  });
}

/** The surface of an element; throws as `createEditableField` does. */
export function createTextSurface(element: HTMLElement): TextSurface {
  if (isTextControl(element)) return createTextControlSurface(element);
  // A field may be read-only for now, with the attribute set to false.
  if (element.isContentEditable || element.hasAttribute('contenteditable')) {
    return createContentEditableSurface(element);
  }
  throw new DikteraError(
    'bad-option',
    `Text can't be dictated into <${element.localName}>: give a textarea, an input of type text, search, tel or url, or an element with contenteditable`,
  );
}
