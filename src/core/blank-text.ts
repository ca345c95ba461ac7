/** White space, control characters, and characters of no width. */
const BLANK = /^[\s\p{Cc}\p{Cf}]*$/u;

const WORD = /[\p{L}\p{N}]/u;

/** True if a text has nothing in it that can be seen. */
export function isBlank(text: string): boolean {
  return BLANK.test(text);
}

/** True if a text has nothing in it to be put in: a line break that was said is something. */
export function isNothing(text: string): boolean {
  return isBlank(text) && !/^\n+$/.test(text);
}

/** True if a text has a letter or a digit in it: marks alone are no word. */
export function hasWord(text: string): boolean {
  return WORD.test(text);
}
