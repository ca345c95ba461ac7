/** A word of a text, with the gap before it. */
export type Token = {
  /** As it stands there. */
  readonly said: string;
  /** In small letters. */
  readonly key: string;
  /** The blanks and marks in front of it. */
  readonly gap: string;
};

/** A text by its words: put together in order, gaps and words and the end are the text. */
export type Tokens = { readonly tokens: readonly Token[]; readonly end: string };

/** Letters and digits, with one mark at a time between them: "t.ex", "38,5", "don't", "EKG-svar". */
export const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:['’.,:/-][\p{L}\p{N}][\p{L}\p{M}\p{N}]*)*/gu;

/** The rules read a text one after another, and most of them leave it as it is. */
let lastRead: { readonly text: string; readonly tokens: Tokens } | null = null;

/** The words of a text. Linear time. */
export function tokensOf(text: string): Tokens {
  if (lastRead?.text !== text) lastRead = { text, tokens: readTokens(text) };
  return lastRead.tokens;
}

function readTokens(text: string): Tokens {
  const tokens: Token[] = [];
  let at = 0;
  for (const { 0: said, index } of text.matchAll(WORD)) {
    tokens.push({ said, key: said.toLowerCase(), gap: text.slice(at, index) });
    at = index + said.length;
  }
  return { tokens, end: text.slice(at) };
}

/** White space, control characters, and characters of no width. */
const BLANK = /^[\s\p{Cc}\p{Cf}]*$/u;

/** As that of `blank-text`, which is not fetched with these files. */
export function isBlank(text: string): boolean {
  return BLANK.test(text);
}

/** The word with a capital. */
export function withCapital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Words that lines of them name. */
export function wordSet(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.join(' ').split(' '));
}
