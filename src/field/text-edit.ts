/** One change of a text: at `start`, `removed` units gave way to `inserted` units (UTF-16). */
export type TextEdit = {
  readonly start: number;
  readonly removed: number;
  readonly inserted: number;
};

/**
 * The change that led from one text to the other, null when they are the same.
 *
 * Where a letter typed beside its like leaves several answers (`aa` -> `aaa`), the caret after the
 * change decides: what follows it was there before. Give null when there is none; a caret that has
 * nothing to do with the change does no harm.
 */
export function findEdit(before: string, after: string, caret: number | null): TextEdit | null {
  if (before === after) return null;
  const kept = caret === null ? 0 : keptAfterCaret(before, after, caret);
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter - kept && before[start] === after[start]) start += 1;
  let tail = kept;
  while (tail < shorter - start && fromEnd(before, tail) === fromEnd(after, tail)) tail += 1;
  return { start, removed: before.length - start - tail, inserted: after.length - start - tail };
}

/**
 * Where an offset of the text before stands in the text after. What is inserted exactly at the
 * offset goes behind it; an offset inside a replaced part ends up behind the replacement.
 */
export function shiftOffset(offset: number, edit: TextEdit): number {
  if (offset <= edit.start) return offset;
  if (offset < edit.start + edit.removed) return edit.start + edit.inserted;
  return offset + edit.inserted - edit.removed;
}

/** As `shiftOffset`, but what is inserted exactly at the offset goes before it. */
export function shiftOffsetBehind(offset: number, edit: TextEdit): number {
  return offset === edit.start ? edit.start + edit.inserted : shiftOffset(offset, edit);
}

function keptAfterCaret(before: string, after: string, caret: number): number {
  const rest = after.slice(caret);
  return before.endsWith(rest) ? rest.length : 0;
}

function fromEnd(text: string, units: number): string | undefined {
  return text[text.length - 1 - units];
}
