/** The letters of Swedish and English words. */
const LETTERS = 'abcdefghijklmnopqrstuvwxyzåäöé';

/** What may have become `word`: two letters swapped, a letter doubled, a double one halved. */
export function slipsOf(word: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (let at = 0; at < word.length; at++) {
    const [head, letter, next, tail] = parts(word, at);
    found.add(head + letter + letter + next + tail);
    if (letter === next) found.add(head + letter + tail);
    else if (next !== '') found.add(head + next + letter + tail);
  }
  found.delete(word);
  return found;
}

/** What may have become `word` by one letter left out in the middle of it. */
export function withLetterPutIn(word: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (let at = 1; at < word.length; at++) {
    for (const letter of LETTERS) found.add(word.slice(0, at) + letter + word.slice(at));
  }
  return found;
}

function parts(word: string, at: number): readonly [string, string, string, string] {
  return [word.slice(0, at), word.charAt(at), word.charAt(at + 1), word.slice(at + 2)];
}
