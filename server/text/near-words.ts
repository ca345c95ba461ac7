/** The letters of Swedish and English words. */
const LETTERS = 'abcdefghijklmnopqrstuvwxyzåäöé';

/** Slips of the ear and hand: two letters swapped, a letter doubled, a double one halved. */
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

/** Every string one edit away: a letter left out, put in, changed, or two swapped. */
export function neighboursOf(word: string): ReadonlySet<string> {
  const found = new Set<string>(slipsOf(word));
  for (let at = 0; at <= word.length; at++) {
    const [head, letter, next, tail] = parts(word, at);
    if (letter !== '') found.add(head + next + tail);
    for (const other of LETTERS) {
      found.add(head + other + letter + next + tail);
      if (letter !== '') found.add(head + other + next + tail);
    }
  }
  found.delete(word);
  return found;
}

function parts(word: string, at: number): readonly [string, string, string, string] {
  return [word.slice(0, at), word.charAt(at), word.charAt(at + 1), word.slice(at + 2)];
}
