/** White space, and characters that nobody sees: of no width, or for the machine's eyes. */
const BLANK = /^[\s\p{Cc}\p{Cf}]*$/u;

const WORD = /[\p{L}\p{N}]/u;

/** Whether there is nothing in a text that could be seen. */
export function isBlank(text: string): boolean {
  return BLANK.test(text);
}

/** Whether there is a letter or a digit in a text: marks alone are no word. */
export function hasWord(text: string): boolean {
  return WORD.test(text);
}
