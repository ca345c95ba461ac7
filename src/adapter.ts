// The parts for an adapter of one's own: an `EditableField` for `attachDictation`.

export type { WrittenSnippet } from './core/written-snippet.ts';
export { contentEditableCaretRect } from './field/caret-rect.ts';
export type {
  EditableField,
  FieldPlace,
  InsertOptions,
  InsertOutcome,
  PieceTrail,
} from './field/editable-field.ts';
export { insertionText, type Spacing } from './field/insertion-text.ts';
export { followPlacedText } from './field/page-turn.ts';
export type { SavedCursor } from './field/saved-cursors.ts';
