/** The most newlines in a row that a field may hold: one empty line (spec, section 2). */
export const MAX_NEWLINES = 2;

/** The text with `\n` as its only newline, and three or more in a row collapsed to two. */
export function collapseNewlines(text: string): string {
  return unifyNewlines(text).replace(/\n{3,}/g, '\n\n');
}

/**
 * The text as it may stand between `before` and `after`: collapsed, and with newlines taken off its
 * own ends so that no run of three arises where it meets its neighbours. Neighbours with too many
 * newlines already get none added.
 */
export function fitNewlines(text: string, before: string, after: string): string {
  const collapsed = collapseNewlines(text);
  const core = collapsed.replace(/^\n+|\n+$/g, '');
  const roomBefore = MAX_NEWLINES - newlinesAtEnd(before);
  const roomAfter = MAX_NEWLINES - newlinesAtStart(after);
  if (core === '')
    return newlines(Math.min(collapsed.length, roomBefore + roomAfter - MAX_NEWLINES));
  const leading = newlines(Math.min(newlinesAtStart(collapsed), roomBefore));
  const trailing = newlines(Math.min(newlinesAtEnd(collapsed), roomAfter));
  return leading + core + trailing;
}

/** Where the text has newlines too many, `[start, end)` in UTF-16 units, in order. */
export function surplusNewlines(text: string): { start: number; end: number }[] {
  return [...text.matchAll(/\n{3,}/g)].map((run) => ({
    start: run.index + MAX_NEWLINES,
    end: run.index + run[0].length,
  }));
}

/** How many newlines the text begins with. */
export function newlinesAtStart(text: string): number {
  return /^\n*/.exec(text)?.[0].length ?? 0;
}

/** How many newlines the text ends with. Does not scan the whole text. */
export function newlinesAtEnd(text: string): number {
  let count = 0;
  while (text[text.length - 1 - count] === '\n') count += 1;
  return count;
}

function unifyNewlines(text: string): string {
  return text.replace(/\r\n?|\u2028|\u2029/g, '\n');
}

function newlines(count: number): string {
  return '\n'.repeat(Math.max(0, count));
}
