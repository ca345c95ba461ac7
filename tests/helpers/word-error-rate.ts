/** Small numbers a recogniser may write either way. */
const NUMBER_WORDS: Readonly<Record<string, string>> = {
  zero: '0',
  one: '1',
  two: '2',
  three: '3',
  four: '4',
  five: '5',
  six: '6',
  seven: '7',
  eight: '8',
  nine: '9',
  ten: '10',
};

/**
 * Word error rate: substitutions, deletions and insertions that turn `heard` into `spoken`, over
 * the words spoken. Case, punctuation and digits against number words do not count. 0 is perfect;
 * it may exceed 1. Nothing spoken: 0 when nothing was heard, else infinite.
 */
export function wordErrorRate(spoken: string, heard: string): number {
  const wanted = wordsOf(spoken);
  const errors = editDistance(wanted, wordsOf(heard));
  return errors === 0 ? 0 : errors / wanted.length;
}

function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];
  return words.map((word) => NUMBER_WORDS[word] ?? word);
}

/** Levenshtein's distance between two lists of words, one row at a time. */
function editDistance(from: readonly string[], to: readonly string[]): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  from.forEach((word, done) => {
    const next = [done + 1];
    to.forEach((other, index) => {
      const substituted = row[index]! + (word === other ? 0 : 1);
      next.push(Math.min(substituted, row[index + 1]! + 1, next[index]! + 1));
    });
    row = next;
  });
  return row.at(-1)!;
}
