import { isNothing } from '../core/blank-text.ts';
import type { FitToPlace, PlaceRules, Surroundings } from '../core/text/fit-to-place.ts';

/**
 * The spacing of dictated text: `spec` puts one blank in front, always, and nothing else; `smart`
 * fits it to the text around it, with blanks where words would run together without them, a small
 * letter within a sentence, and no full stop where the sentence goes on.
 */
export type Spacing = 'spec' | 'smart';

/** Dictated text as it goes into a field. */
type FittedText = {
  /** All that goes in; empty when there is nothing in it but white space. */
  readonly text: string;
  /** Units at its end that only part it from the text behind: the caret stands before them. */
  readonly behind: number;
  /** The full stop left out of its end since the text goes on, or none. */
  readonly owed: string;
};

/** The rules by which a text is fitted into a field. */
export type InsertionRules = PlaceRules & {
  readonly spacing: Spacing;
  readonly isMultiline: boolean;
  /**
   * With `smart`: fits capitals and full stops, and finds where snippets want the caret.
   * @default blanks alone are fitted, and the caret stands behind the text
   */
  readonly rule?: FitToPlace | null;
};

/** Invisible characters that editors put at the ends of lines. */
const UNSEEN = '[\\u200B-\\u200F\\u2060\\uFEFF]*';
/** Marks that stand before a word or behind one, as their other side tells. */
const QUOTES = '"\'“”‘’„‚«»‹›';
/** Written without blanks between words. */
const UNSPACED =
  '[\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}\\u3000-\\u303F\\uFF01-\\uFF60]';

/** A word may follow these at once: a line's start, a blank, what opens, what joins. */
const ENDS_OPEN = new RegExp(
  `(?:^|[\\s([{¿¡/\\\\]|(?:^|[\\s([{])[@#${QUOTES}]|[\\p{L}\\p{N}][-‐‑–—]|${UNSPACED})${UNSEEN}$`,
  'u',
);
/** These may follow a word at once: a line's end, a blank, what closes, what joins. */
const STARTS_CLOSED = new RegExp(
  `^${UNSEEN}(?:$|[\\s;:!?…)\\]}%،؛؟۔/\\\\]|[.,](?!\\p{N})|[${QUOTES}]+(?![${QUOTES}\\p{L}\\p{N}([{¿¡])|[-‐‑–—][\\p{L}\\p{N}]|${UNSPACED})`,
  'u',
);

/**
 * Dictated text fitted to the text around it. Newlines are collapsed as the field's rule says; in a
 * field of one line they become spaces.
 */
export function insertionText(
  text: string,
  around: Surroundings,
  rules: InsertionRules,
): FittedText {
  const { before, after } = around;
  const { spacing, isUnspaced = false, rule } = rules;
  const lined = rules.isMultiline ? text : onOneLine(text);
  if (isNothing(lined)) return { text: '', behind: 0, owed: '' };
  if (spacing === 'spec') {
    // A blank in front of a line break would only end a line.
    const spaced = lined.startsWith('\n') ? lined : ` ${lined}`;
    return { text: fitNewlines(spaced, before, after), behind: 0, owed: '' };
  }
  const bare = fitNewlines(lined.replace(/^[^\S\n]+|[^\S\n]+$/gu, ''), before, after);
  const { text: words, owed } = rule?.fitToPlace(bare, around, rules) ?? { text: bare, owed: '' };
  const isParted = (left: string, right: string): boolean =>
    !(isUnspaced || ENDS_OPEN.test(left) || STARTS_CLOSED.test(right));
  const front = isParted(before.slice(-CONTEXT), words) ? ' ' : '';
  const behind = isParted(words.slice(-CONTEXT), after) ? ' ' : '';
  return { text: front + words + behind, behind: behind.length, owed };
}

/** Units of a text that are enough to know how it ends. */
const CONTEXT = 16;

/** The text with each run of newlines, and the blanks around it, made one space. */
export function onOneLine(text: string): string {
  return text.trim().replace(/\s*[\r\n\u2028\u2029]+\s*/g, ' ');
}

/** The most newlines in a row that a field may hold: one empty line. */
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

/** The number of newlines that the text begins with. */
export function newlinesAtStart(text: string): number {
  return /^\n*/.exec(text)?.[0].length ?? 0;
}

/** The number of newlines that the text ends with. Does not scan the whole text. */
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
