import type { EditableField } from '../field/editable-field.ts';
import { customField } from './custom.ts';

export type { EditableField };

type MonacoPosition = { readonly lineNumber: number; readonly column: number };

type MonacoSelection = {
  readonly selectionStartLineNumber: number;
  readonly selectionStartColumn: number;
  readonly positionLineNumber: number;
  readonly positionColumn: number;
};

type MonacoRange = {
  readonly startLineNumber: number;
  readonly startColumn: number;
  readonly endLineNumber: number;
  readonly endColumn: number;
};

type Disposable = { dispose(): void };

/** The parts of a Monaco text model (`ITextModel`) that are used. */
export type MonacoModel = {
  getValue(): string;
  getOffsetAt(position: MonacoPosition): number;
  getPositionAt(offset: number): MonacoPosition;
  isDisposed(): boolean;
  onDidChangeContent(
    listener: (event: {
      readonly changes: readonly {
        readonly rangeOffset: number;
        readonly rangeLength: number;
        readonly text: string;
      }[];
    }) => void,
  ): Disposable;
};

/** The parts of a Monaco editor (`ICodeEditor`) that are used. */
export type MonacoEditor = {
  getDomNode(): HTMLElement | null;
  getModel(): MonacoModel | null;
  getRawOptions(): { readonly readOnly?: boolean | undefined };
  getSelection(): MonacoSelection | null;
  setSelection(selection: MonacoSelection): void;
  revealPosition(position: MonacoPosition): void;
  getScrolledVisiblePosition(
    position: MonacoPosition,
  ): { readonly top: number; readonly left: number; readonly height: number } | null;
  executeEdits(
    source: string,
    edits: {
      readonly range: MonacoRange;
      readonly text: string;
      readonly forceMoveMarkers: true;
    }[],
  ): boolean;
  pushUndoStop(): boolean;
  focus(): void;
  onDidCompositionStart(listener: () => void): Disposable;
  onDidCompositionEnd(listener: () => void): Disposable;
};

/**
 * A Monaco editor as a field, with its EditContext or without:
 * `attachDictation(monacoField(editor))`, once it is in the page. Places follow the edits of its
 * model, and each text is an undo step of its own. While it is read-only, or shows another model
 * than the one that was dictated into, nothing goes in. Throws a `TypeError` for an editor that has
 * no element.
 */
export function monacoField(editor: MonacoEditor): EditableField {
  const element = editor.getDomNode();
  if (!element) throw new TypeError('The Monaco editor is in no page');
  /** The model that texts are due in, while any are. */
  let dueIn: MonacoModel | null = null;
  let isComposing = false;
  const composing = [
    editor.onDidCompositionStart(() => {
      isComposing = true;
    }),
    editor.onDidCompositionEnd(() => {
      isComposing = false;
    }),
  ];

  const model = (): MonacoModel | null => dueIn ?? editor.getModel();

  return customField({
    element,
    isEditable() {
      const shown = editor.getModel();
      return shown !== null && model() === shown && !editor.getRawOptions().readOnly;
    },
    isComposing: () => isComposing,
    // The element takes none itself.
    focus: () => editor.focus(),
    text() {
      const read = model();
      return read === null || read.isDisposed() ? '' : read.getValue();
    },
    selection() {
      const shown = editor.getModel();
      const selection = editor.getSelection();
      if (!shown || !selection || shown !== model()) return { anchor: 0, focus: 0 };
      const offsetOf = (lineNumber: number, column: number) =>
        shown.getOffsetAt({ lineNumber, column });
      return {
        anchor: offsetOf(selection.selectionStartLineNumber, selection.selectionStartColumn),
        focus: offsetOf(selection.positionLineNumber, selection.positionColumn),
      };
    },
    select({ anchor, focus }, isShown) {
      const shown = editor.getModel();
      if (!shown) return;
      const from = shown.getPositionAt(anchor);
      const to = shown.getPositionAt(focus);
      editor.setSelection({
        selectionStartLineNumber: from.lineNumber,
        selectionStartColumn: from.column,
        positionLineNumber: to.lineNumber,
        positionColumn: to.column,
      });
      if (isShown) editor.revealPosition(to);
    },
    watch(onChange) {
      dueIn = editor.getModel();
      const watching = dueIn?.onDidChangeContent(({ changes }) => {
        // The last place comes first, so that each is right when those before it are made.
        onChange(
          changes.map(({ rangeOffset, rangeLength, text }) => ({
            start: rangeOffset,
            removed: rangeLength,
            inserted: text.length,
          })),
        );
      });
      return () => {
        watching?.dispose();
        dueIn = null;
      };
    },
    replace({ start, end }, text) {
      const shown = editor.getModel();
      if (!shown) return;
      const from = shown.getPositionAt(start);
      const to = shown.getPositionAt(end);
      const range = {
        startLineNumber: from.lineNumber,
        startColumn: from.column,
        endLineNumber: to.lineNumber,
        endColumn: to.column,
      };
      editor.pushUndoStop();
      editor.executeEdits('diktera', [{ range, text, forceMoveMarkers: true }]);
      editor.pushUndoStop();
    },
    caretRect() {
      const box = element.getBoundingClientRect();
      const selection = editor.getSelection();
      const caret =
        selection &&
        editor.getScrolledVisiblePosition({
          lineNumber: selection.positionLineNumber,
          column: selection.positionColumn,
        });
      return caret
        ? new DOMRect(box.left + caret.left, box.top + caret.top, 0, caret.height)
        : new DOMRect(box.left, box.top, 0, 0);
    },
    dispose() {
      for (const each of composing) each.dispose();
    },
  });
}
