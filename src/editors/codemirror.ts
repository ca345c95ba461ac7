import { contentEditableCaretRect } from '../field/caret-rect.ts';
import type { EditableField } from '../field/editable-field.ts';
import type { TextEdit } from '../field/text-surface.ts';
import { customField } from './custom.ts';

export type { EditableField };

/** The parts of a CodeMirror 6 view (`EditorView`) that are used. */
export type CodeMirrorView = {
  readonly dom: HTMLElement;
  readonly contentDOM: HTMLElement;
  readonly state: {
    readonly doc: { toString(): string };
    readonly readOnly: boolean;
    readonly selection: { readonly main: { readonly anchor: number; readonly head: number } };
  };
  dispatch(spec: object): void;
  focus(): void;
  coordsAtPos(
    position: number,
  ): { readonly left: number; readonly top: number; readonly bottom: number } | null;
};

type Update = {
  readonly docChanged: boolean;
  readonly changes: {
    iterChanges(
      tell: (fromA: number, toA: number, fromB: number, toB: number) => void,
      individual?: boolean,
    ): void;
  };
};

/** The view's own class: it belongs to the page's CodeMirror, which must not be loaded twice. */
type ViewClass = {
  readonly updateListener: { of(listener: (update: Update) => void): unknown };
  scrollIntoView(position: number): {
    readonly constructor: { readonly appendConfig: { of(extension: unknown): unknown } };
  };
};

/**
 * A CodeMirror 6 editor as a field: `attachDictation(codeMirrorField(view))`. Places follow its
 * transactions, and each text is one of its own, so that one undo takes the dictation and nothing
 * else. While it is read-only nothing goes in.
 */
export function codeMirrorField(view: CodeMirrorView): EditableField {
  const listeners = new Set<(edits: readonly TextEdit[]) => void>();
  let heardOf: unknown = null;

  const onUpdate = ({ docChanged, changes }: Update): void => {
    heardOf = view.state;
    if (!docChanged || listeners.size === 0) return;
    const edits: TextEdit[] = [];
    changes.iterChanges((fromA, toA, fromB, toB) => {
      edits.push({ start: fromB, removed: toA - fromA, inserted: toB - fromB });
    }, true);
    for (const listener of listeners) listener(edits);
  };
  /** Hears of transactions from now on; a page that has set another state is asked anew. */
  const listen = (): void => {
    if (heardOf === view.state) return;
    const { updateListener, scrollIntoView } = view.constructor as unknown as ViewClass;
    const { appendConfig } = scrollIntoView(0).constructor;
    view.dispatch({ effects: appendConfig.of(updateListener.of(onUpdate)) });
  };

  return customField({
    // The whole of it: the toolbar stands behind it, and not among its parts.
    element: view.dom,
    focus: () => view.focus(),
    isEditable: () => !view.state.readOnly && view.contentDOM.isContentEditable,
    text: () => view.state.doc.toString(),
    selection() {
      const { anchor, head } = view.state.selection.main;
      return { anchor, focus: head };
    },
    select({ anchor, focus }, isShown) {
      // Also when it is there already: what is typed next is an undo step of its own.
      view.dispatch({
        selection: { anchor, head: focus },
        scrollIntoView: isShown,
        userEvent: 'select',
      });
    },
    watch(onChange) {
      listen();
      listeners.add(onChange);
      return () => void listeners.delete(onChange);
    },
    replace({ start, end }, text) {
      view.dispatch({
        changes: { from: start, to: end, insert: text },
        userEvent: 'input.dictate',
      });
    },
    caretRect() {
      const caret = view.coordsAtPos(view.state.selection.main.head);
      return caret
        ? new DOMRect(caret.left, caret.top, 0, caret.bottom - caret.top)
        : contentEditableCaretRect(view.contentDOM);
    },
  });
}
