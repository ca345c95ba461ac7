/** The words of a piece that is not final: firm ones do not change any more, the rest may. */
export type AgreedWords = {
  readonly firm: readonly string[];
  readonly tentative: readonly string[];
  /** The latest answer, which the next one is held against. */
  readonly latest: readonly string[];
};

export const NO_WORDS: AgreedWords = { firm: [], tentative: [], latest: [] };

/** How far from its place the last firm word is looked for in an answer that hears more or less. */
const SHIFTS = [0, -1, 1, -2, 2] as const;

/** So many rounds of the same words nobody says; and of so many words at most. */
const LOOP_ROUNDS = 4;
const LONGEST_LOOP = 6;

/**
 * LocalAgreement-2: what two successive answers to a growing piece agree on is firm, in the form of
 * the later one; the rest of it is tentative. Case and punctuation, which come with what follows,
 * are no disagreement. What is firm stays as it is, whatever later answers say.
 */
export function agree(before: AgreedWords, answer: string): AgreedWords {
  const latest = withoutLoop(answer.split(/\s+/).filter((word) => word !== ''));
  const kept = before.firm.length;
  const agreed = commonWords(before.latest, latest);
  // Only what follows the firm words is added to them, and only where those are agreed on too.
  const continues = commonWords(before.firm, latest) === kept;
  const firm = continues && agreed > kept ? [...before.firm, ...latest.slice(kept, agreed)] : null;
  if (firm) return { firm, tentative: latest.slice(agreed), latest };
  return { firm: before.firm, tentative: latest.slice(placeAfter(before.firm, latest)), latest };
}

/**
 * A model that is given half a word at times says the same for as long as it may: what comes round
 * again and again at an answer's end is told once.
 */
function withoutLoop(words: readonly string[]): readonly string[] {
  for (let period = 1; period <= LONGEST_LOOP; period += 1) {
    let again = 0;
    while (sameWord(words, words.length - 1 - again, period)) again += 1;
    if (again >= period * (LOOP_ROUNDS - 1)) return words.slice(0, words.length - again);
  }
  return words;
}

/** Whether a word is the one that stands `back` words before it. */
function sameWord(words: readonly string[], index: number, back: number): boolean {
  return index >= back && bare(words[index]) === bare(words[index - back]);
}

/** How many words two answers begin with that are the same. */
function commonWords(one: readonly string[], other: readonly string[]): number {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index += 1) {
    if (bare(one[index]) !== bare(other[index])) return index;
  }
  return length;
}

/** Where in an answer the words that are firm end. */
function placeAfter(firm: readonly string[], answer: readonly string[]): number {
  const last = bare(firm.at(-1));
  const shift = SHIFTS.find((by) => bare(answer[firm.length - 1 + by]) === last) ?? 0;
  return firm.length + shift;
}

/** A word as it sounds; one of marks alone as it is. */
function bare(word = ''): string {
  return word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '') || word;
}
