/** After these a full stop ends no sentence. */
const ABBREVIATION =
  /(?:^|[\s(])(?:(?:bl|fr|\p{L})\.\s?(?:\p{L}\.\s?)?(?:ex|fl|\p{L})|dvs|osv|ca|kl|nr|st|resp|ev|jfr|tel|inkl|exkl|kap|mom|sid|prof|leg|dr|mr|mrs|ms|vs|etc)\.$/iu;

/** More than the longest of them, so that what is cut off in front never makes one. */
const ABBREVIATION_CHARACTERS = 16;

/** A shorter text may be a word for a form field; it gets no full stop. */
const MIN_WORDS_OF_A_SENTENCE = 5;

/**
 * Tidies what needs no dictionary: runs of spaces, spaces in front of marks, a missing space after
 * a comma, capitals after a full stop and at the beginning, the full stop at the end of five words
 * or more. Line breaks stay.
 */
export function tidyText(text: string): string {
  const spaced = text
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/ +([,;:!?.])(?=\s|$)/g, '$1')
    .replace(/([,;!?])(?=\p{L})/gu, '$1 ')
    .trim();
  return withFullStop(withCapitals(spaced));
}

function withCapitals(text: string): string {
  return text.replace(/(^|[.!?]["”’»)]?\s+|\n)(\p{Ll})/gu, (whole, before: string, letter, at) => {
    const end = Number(at) + before.trimEnd().length;
    const upTo = text.slice(Math.max(0, end - ABBREVIATION_CHARACTERS), end);
    if (before.startsWith('.') && ABBREVIATION.test(upTo)) return whole;
    // "Kommer du?" frågade han: what somebody says is in the middle of another sentence.
    if (/^[!?]["”’»)]/.test(before)) return whole;
    return isMixedCase(text, Number(at) + before.length) ? whole : before + letter.toUpperCase();
  });
}

/** iPhone and mRNA are written as they are; an address keeps its letters, too. */
function isMixedCase(text: string, at: number): boolean {
  const word = /^\S+/.exec(text.slice(at))?.[0] ?? '';
  return /\p{Lu}|@|\.\p{L}/u.test(word);
}

function withFullStop(text: string): string {
  const isSentence = text.split(/\s+/).length >= MIN_WORDS_OF_A_SENTENCE;
  return isSentence && /[\p{L}\p{N}\])]$/u.test(text) ? `${text}.` : text;
}
