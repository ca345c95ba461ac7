import { acceptsText, type TextControl } from './node-kinds.ts';
import { selectionRange, type TextSelection, type TextSurface } from './text-surface.ts';
import { activeElementOf } from './tree-scope.ts';

/** A text area, or an input of type text, search, tel or url, as a surface. */
export function createTextControlSurface(element: TextControl): TextSurface {
  const readSelection = (): TextSelection => {
    const start = element.selectionStart ?? 0;
    const end = element.selectionEnd ?? start;
    return element.selectionDirection === 'backward'
      ? { anchor: end, focus: start }
      : { anchor: start, focus: end };
  };
  return {
    element,
    isMultiline: element.localName === 'textarea',
    isEditable: () => acceptsText(element),
    maxLength: () => (element.maxLength < 0 ? Number.POSITIVE_INFINITY : element.maxLength),
    readText: () => element.value,
    visibleText: () => element.value,
    readSelection,
    lastSelection: readSelection,
    select(selection) {
      if (activeElementOf(element) !== element) element.focus({ preventScroll: true });
      const { start, end } = selectionRange(selection);
      const isBackward = selection.focus < selection.anchor;
      element.setSelectionRange(start, end, isBackward ? 'backward' : 'forward');
    },
    watch(onChange) {
      // A value set by script tells nobody; whoever needs to know compares once more before use.
      element.addEventListener('input', onChange);
      return () => element.removeEventListener('input', onChange);
    },
    offsetAtPoint(clientX, clientY) {
      const position = element.ownerDocument.caretPositionFromPoint?.(clientX, clientY);
      return position?.offsetNode === element ? position.offset : null;
    },
    dispose() {},
  };
}
