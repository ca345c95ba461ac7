/** The words of a text as they are compared: in lower case, without punctuation. */
export function comparedWords(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** How many words must be put in, taken out or changed to get from one text to the other. */
export function wordErrors(said: string, written: string): number {
  const [from, to] = [comparedWords(said), comparedWords(written)];
  let row = to.map((_, at) => at + 1);
  row.unshift(0);
  for (const [at, word] of from.entries()) {
    const next = [at + 1];
    for (const [other, found] of to.entries()) {
      const changed = (row[other] ?? 0) + (word === found ? 0 : 1);
      next.push(Math.min(changed, (row[other + 1] ?? 0) + 1, (next[other] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** How many of the words that were said are in the text, 0 to 1. */
export function shareHeard(said: string, written: string): number {
  const found = new Set(comparedWords(written));
  const words = comparedWords(said);
  return words.filter((word) => found.has(word)).length / Math.max(1, words.length);
}
