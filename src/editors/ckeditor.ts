import { contentEditableCaretRect } from '../field/caret-rect.ts';
import type { EditableField } from '../field/editable-field.ts';
import { customField } from './custom.ts';

export type { EditableField };

type Attributes = Iterable<[string, unknown]>;

type CkNode = {
  readonly name?: string;
  readonly data?: string;
  getAttributes(): Attributes;
};

type CkElement = CkNode & {
  readonly nextSibling: CkNode | null;
  getChildren(): Iterable<CkNode>;
};

type CkPosition = {
  readonly parent: unknown;
  readonly offset: number;
  readonly textNode: CkNode | null;
  readonly nodeBefore: CkNode | null;
};

type CkWriter = {
  createRange(start: unknown, end: unknown): unknown;
  setSelection(range: unknown, options: { readonly backward: boolean }): void;
  insertText(text: string, attributes: Attributes, position: unknown): void;
  insertElement(name: string, position: unknown): void;
  split(position: unknown): { readonly position: CkPosition };
};

/** The parts of a CKEditor 5 editor that are used. */
export type CkEditor = {
  readonly isReadOnly: boolean;
  readonly editing: {
    readonly view: {
      getDomRoot(): HTMLElement | undefined;
      scrollToTheSelection(): void;
    };
  };
  readonly model: {
    readonly document: {
      readonly selection: {
        readonly anchor: CkPosition | null;
        readonly focus: CkPosition | null;
      };
      on(event: string, listener: () => void): void;
      off(event: string, listener: () => void): void;
      getRoot(): unknown;
    };
    // Parts of its model are given back to it as they came: of no type, so that its own ones fit.
    readonly schema: {
      checkChild(context: unknown, child: unknown): boolean;
      isLimit(element: unknown): boolean;
    };
    createRangeIn(element: unknown): { getItems(): Iterable<unknown> };
    createPositionAt(element: unknown, offset: unknown): CkPosition;
    createSelection(range: unknown): unknown;
    deleteContent(selection: unknown): void;
    change(edit: (writer: CkWriter) => void): void;
  };
};

/** An element with text in it, and where that begins in the text of all. */
type Block = { readonly element: CkElement; readonly start: number; readonly text: string };

/**
 * A CKEditor 5 editor as a field: `attachDictation(ckEditorField(editor))`, once it is ready. Each
 * text is a change of its model, and an undo step of its own; an empty line begins a paragraph. While
 * the editor is read-only nothing goes in. Throws a `TypeError` for an editor without an element.
 */
export function ckEditorField(editor: CkEditor): EditableField {
  const { model } = editor;
  const { document, schema } = model;
  const { view } = editor.editing;
  const element = view.getDomRoot();
  if (!element) throw new TypeError('The CKEditor is in no page');

  function blocks(): readonly Block[] {
    const found: Block[] = [];
    let start = 0;
    const items = model.createRangeIn(document.getRoot()).getItems() as Iterable<CkElement>;
    for (const item of items) {
      if (item.data !== undefined || !schema.checkChild(item, '$text')) continue;
      const text = [...item.getChildren()].map(textOf).join('');
      found.push({ element: item, start, text });
      start += text.length + 1;
    }
    return found;
  }

  /** Where a place of the model is in the text; its end for one that is in no text. */
  function offsetOf(position: CkPosition | null): number {
    const all = blocks();
    const block = all.find((each) => each.element === position?.parent);
    if (block && position) return block.start + position.offset;
    const last = all.at(-1);
    return last ? last.start + last.text.length : 0;
  }

  function positionOf(offset: number): CkPosition {
    const block = blocks().findLast(({ start }) => start <= offset);
    if (!block) return model.createPositionAt(document.getRoot(), 'end');
    return model.createPositionAt(block.element, Math.min(offset - block.start, block.text.length));
  }

  /** Puts a line in; answers the place behind it. */
  function insertLine(writer: CkWriter, line: string, at: CkPosition): CkPosition {
    if (line === '') return at;
    writer.insertText(line, attributesAt(at), at);
    return model.createPositionAt(at.parent, at.offset + line.length);
  }

  /** Begins a line behind a place, or a paragraph; answers its beginning. */
  function insertBreak(writer: CkWriter, isParagraph: boolean, at: CkPosition): CkPosition {
    if (isParagraph && !schema.isLimit(at.parent)) {
      const parent = at.parent as CkElement;
      writer.split(at);
      return model.createPositionAt(parent.nextSibling, 0);
    }
    if (!schema.checkChild(at, 'softBreak')) return insertLine(writer, ' ', at);
    writer.insertElement('softBreak', at);
    return model.createPositionAt(at.parent, at.offset + 1);
  }

  return customField({
    element,
    isEditable: () => !editor.isReadOnly && element.isContentEditable,
    text: () =>
      blocks()
        .map(({ text }) => text)
        .join('\n'),
    selection() {
      const { anchor, focus } = document.selection;
      return { anchor: offsetOf(anchor), focus: offsetOf(focus) };
    },
    select({ anchor, focus }, isShown) {
      const ends = [anchor, focus].sort((one, other) => one - other).map(positionOf);
      model.change((writer) => {
        writer.setSelection(writer.createRange(ends[0], ends[1]), { backward: focus < anchor });
      });
      if (isShown) view.scrollToTheSelection();
    },
    watch(onChange) {
      const changed = (): void => onChange();
      document.on('change:data', changed);
      return () => document.off('change:data', changed);
    },
    replace({ start, end }, text) {
      model.change((writer) => {
        if (start < end) {
          const range = writer.createRange(positionOf(start), positionOf(end));
          model.deleteContent(model.createSelection(range));
        }
        let at = positionOf(start);
        for (const part of text.split(/(\n+)/)) {
          at = part.startsWith('\n')
            ? insertBreak(writer, part.length > 1, at)
            : insertLine(writer, part, at);
        }
      });
    },
    caretRect: () => contentEditableCaretRect(element),
  });
}

function textOf({ data, name }: CkNode): string {
  return data ?? (name === 'softBreak' ? '\n' : '\uFFFC');
}

/** As what is typed there would have them; what is typed behind a link is none. */
function attributesAt({ textNode, nodeBefore }: CkPosition): Attributes {
  if (textNode) return textNode.getAttributes();
  if (nodeBefore?.data === undefined) return [];
  return [...nodeBefore.getAttributes()].filter(([name]) => name !== 'linkHref');
}
