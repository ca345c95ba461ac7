import type { Numerals } from './numerals.ts';
import type { Token } from './tokens.ts';

/** Up to this, a number by itself is a word. */
export const LAST_WORD = 12;

/** The text for the number words that end before `next`. */
export type Written = { readonly text: string; readonly next: number };

/** A number of one word or several. */
export type NumberSaid = { readonly value: number; readonly next: number };

/** The numbers among the words of a text. */
export type NumberReader = ReturnType<typeof createNumberReader>;

/** Reads the numbers of a text; `code` is its language. */
export function createNumberReader(tokens: readonly Token[], numerals: Numerals, code: string) {
  const { uncounted } = numerals;
  const isEnglish = code === 'en';
  const key = (at: number): string => tokens[at]?.key ?? '';
  /** True if nothing but a blank separates a word from the one before. */
  const isJoined = (at: number): boolean => /^[ \u00a0]$/.test(tokens[at]?.gap ?? '');
  /** Each word is asked for several times. */
  const values: (number | null)[] = [];
  function valueAt(at: number): number | null {
    if (at >= tokens.length) return null;
    let value = values[at];
    if (value === undefined) {
      value = numerals.valueOf(key(at));
      values[at] = value;
    }
    return value;
  }
  /** True if the word there cannot be counted by the number in front of it. */
  const isOver = (at: number): boolean => !isJoined(at) || uncounted.has(key(at));
  const isArticle = (at: number): boolean => !isEnglish && /^e(?:n|tt)$/.test(key(at));
  /**
   * The value of a word where digits are read out one by one ("oh" is 0); Infinity for other words.
   */
  const digitValue = (at: number): number =>
    isEnglish && key(at) === 'oh' ? 0 : (valueAt(at) ?? Number.POSITIVE_INFINITY);
  const isDigitAt = (at: number): boolean => digitValue(at) < 10;

  /** The end of the number words in a row that begin there; the start itself where none do. */
  function runEnd(from: number): number {
    if (valueAt(from) === null) return from;
    // An article is no part of the number behind it.
    if (isArticle(from) && !isDigitAt(from + 1)) return from + 1;
    let at = from + 1;
    while (at < tokens.length && isJoined(at) && valueAt(at) !== null) at++;
    return at;
  }

  /** The longest number that begins there: "hundra tjugo fem", "one hundred and five". */
  function numberAt(from: number): NumberSaid | null {
    const first = valueAt(from);
    if (first === null) return null;
    let value = first;
    let at = from + 1;
    for (; at < tokens.length && isJoined(at); at++) {
      const isAnd = key(at) === numerals.and && value >= 100 && value % 100 === 0;
      if (isAnd && isJoined(at + 1) && fits(value, valueAt(at + 1))) continue;
      const grown = joined(value, valueAt(at), key(at));
      if (grown === null) break;
      value = grown;
    }
    return { value, next: at };
  }

  return {
    tokens,
    numerals,
    isEnglish,
    key,
    isJoined,
    valueAt,
    isOver,
    isArticle,
    digitValue,
    isDigitAt,
    runEnd,
    numberAt,
  };
}

/** True if the number `next` may follow the hundreds or thousands of `value`. */
function fits(value: number, next: number | null): boolean {
  return next !== null && next > 0 && next < 100 && value % 100 === 0;
}

/** The number that two words make; null where they make none. */
function joined(value: number, next: number | null, word: string): number | null {
  if (next === null || next === 0 || value === 0) return null;
  if (word === 'hundra' || word === 'hundred') {
    const count = value % 1_000;
    // "Twelve hundred", as long as it is no round thousand.
    const isCount = count <= 9 || (count < 100 && value < 100 && count % 10 > 0);
    return count >= 1 && isCount ? value - count + count * 100 : null;
  }
  if (word === 'tusen' || word === 'thousand') return value < 1_000 ? value * 1_000 : null;
  const isTens = value % 10 === 0 && value % 100 >= 20;
  const room = [1_000, 100].find((step) => value % step === 0) ?? (isTens ? 10 : 0);
  return next < room ? value + next : null;
}
