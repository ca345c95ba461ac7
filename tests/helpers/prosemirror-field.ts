import { closeHistory } from 'prosemirror-history';
import { Fragment, type Node, type Schema } from 'prosemirror-model';
import { Plugin, PluginKey } from 'prosemirror-state';
import type { EditorView } from 'prosemirror-view';
import { contentEditableCaretRect } from '../../src/field/caret-rect.ts';
import type { EditableField, InsertOutcome } from '../../src/field/editable-field.ts';
import { insertionText, type Spacing } from '../../src/field/insertion-text.ts';
import { followPlacedText } from '../../src/field/page-turn.ts';
import type { SavedCursor } from '../../src/field/saved-cursors.ts';

/** A saved place in the editor's own positions, and the text that was selected there. */
type Place = { readonly from: number; readonly to: number; readonly selected: string };
type Places = ReadonlyMap<SavedCursor, Place>;
type PlaceChange = { readonly cursor: SavedCursor; readonly place: Place | null };

/** Some keyboards compose for as long as the caret stands at a word. */
const COMPOSITION_PATIENCE_MS = 5_000;

const placesKey = new PluginKey<Places>('dictation');

/** The editor itself keeps the places right: every transaction maps them. */
const placesPlugin = new Plugin<Places>({
  key: placesKey,
  state: {
    init: () => new Map(),
    apply(tr, before) {
      const places = new Map(before);
      for (const [cursor, { from, to, selected }] of before) {
        // Text typed exactly at the place goes behind it.
        const moved = { from: tr.mapping.map(from, -1), to: tr.mapping.map(to, -1), selected };
        places.set(cursor, moved);
      }
      const change = tr.getMeta(placesKey) as PlaceChange | undefined;
      if (change?.place) places.set(change.cursor, change.place);
      else if (change) places.delete(change.cursor);
      return places;
    },
  },
});

/** A ProseMirror editor as a field to dictate into. */
export function createProseMirrorField(view: EditorView): EditableField {
  const { plugins } = view.state;
  view.updateState(view.state.reconfigure({ plugins: [...plugins, placesPlugin] }));
  let isDisposed = false;
  let lastTurn: Promise<unknown> = Promise.resolve();

  const change = (change: PlaceChange): void =>
    view.dispatch(view.state.tr.setMeta(placesKey, change).setMeta('addToHistory', false));

  function insertNow(text: string, cursor: SavedCursor | null, spacing: Spacing): InsertOutcome {
    if (isDisposed || view.isDestroyed || !view.dom.isConnected) return { kind: 'gone' };
    const place = cursor && placesKey.getState(view.state)?.get(cursor);
    if (!cursor || !place) return { kind: 'outside' };
    if (!view.editable) return { kind: 'not-editable' };
    const { doc, schema, tr } = view.state;
    const isUntouched = textIn(doc, place.from, place.to) === place.selected;
    const from = isUntouched ? place.from : place.to;
    const around = {
      before: textIn(doc, 0, from),
      after: textIn(doc, place.to, doc.content.size),
    };
    const { text: fitted } = insertionText(text, around, { spacing, isMultiline: true });
    if (fitted === '') return { kind: 'empty' };
    const placed = followPlacedText({
      ...around,
      replaced: textIn(doc, from, place.to),
      text: fitted,
    });
    // Closed before and after: an undo step of its own.
    view.dispatch(closeHistory(tr.replaceWith(from, place.to, toContent(schema, fitted))));
    // A filter of transactions may have refused it, another plugin may have added one that cuts it.
    placed.pageChanged(textIn(view.state.doc, 0, view.state.doc.content.size));
    const fate = placed.fate();
    if (fate === 'gone') return { kind: 'refused' };
    view.dispatch(closeHistory(view.state.tr.setMeta(placesKey, { cursor, place: null })));
    return { kind: fate === 'stands' ? 'inserted' : 'altered', text: fitted };
  }

  return {
    element: view.dom,
    get isComposing() {
      return view.composing;
    },
    saveCursor() {
      if (isDisposed || view.isDestroyed) return null;
      const { doc, selection } = view.state;
      const { from, to } = selection;
      const cursor: SavedCursor = {
        release: () => !view.isDestroyed && change({ cursor, place: null }),
      };
      change({ cursor, place: { from, to, selected: textIn(doc, from, to) } });
      return cursor;
    },
    insert(text, cursor, { spacing = 'spec', withdrawn } = {}) {
      const turn = lastTurn.then(async (): Promise<InsertOutcome> => {
        const patience = AbortSignal.timeout(COMPOSITION_PATIENCE_MS);
        while (view.composing && !patience.aborted) await oneCompositionLess(view.dom, patience);
        if (view.composing || withdrawn?.aborted) return { kind: 'deferred' };
        return insertNow(text, cursor, spacing);
      });
      lastTurn = turn.catch(() => {});
      return turn;
    },
    text: () => textIn(view.state.doc, 0, view.state.doc.content.size),
    // Reads only.
    caretRect: () => contentEditableCaretRect(view.dom),
    dispose() {
      isDisposed = true;
    },
  };
}

function textIn(doc: Node, from: number, to: number): string {
  return doc.textBetween(from, to, '\n', (leaf) =>
    leaf.type.name === 'hard_break' ? '\n' : '\uFFFC',
  );
}

function toContent(schema: Schema, text: string): Fragment {
  const lines = text.split('\n').map((line) => (line === '' ? [] : [schema.text(line)]));
  const nodes = lines.flatMap((line, index) =>
    index === 0 ? line : [schema.node('hard_break'), ...line],
  );
  return Fragment.fromArray(nodes);
}

/** The editor takes the composed text up a little after the browser has told its end. */
function oneCompositionLess(element: HTMLElement, patience: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    patience.addEventListener('abort', () => resolve(), { once: true });
    element.addEventListener('compositionend', () => setTimeout(resolve, 50), { once: true });
  });
}
