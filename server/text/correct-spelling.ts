import { neighboursOf, slipsOf } from './near-words.ts';
import type { Speller } from './speller.ts';

/** Words in lower case alone: capitals may be names, digits codes, brackets placeholders. */
const WORD = /(?<![\p{L}\p{N}_@[\]./'’-])\p{Ll}{4,20}(?![\p{L}\p{N}_@[\]/'’-]|\.\p{L})/gu;

/** Looking for neighbours takes a few ms a word; a text with more unknown words is in another language. */
const MAX_UNKNOWN = 40;

/**
 * Corrects a word only when there is no doubt: it is unknown, of 4 to 20 lower-case letters, and one
 * known word alone is a slip away (swapped or doubled letters), or else one alone is one edit away.
 * `pause` is waited for after each unknown word, so that others get their turn.
 */
export async function correctSpelling(
  text: string,
  speller: Speller,
  pause: () => Promise<void>,
): Promise<string> {
  const unknown = new Set<string>();
  for (const [word] of text.matchAll(WORD)) {
    if (!speller.knows(word)) unknown.add(word);
  }
  if (unknown.size === 0 || unknown.size > MAX_UNKNOWN) return text;
  const corrected = new Map<string, string>();
  for (const word of unknown) {
    const better = onlyWordNear(word, speller);
    if (better !== null) corrected.set(word, better);
    await pause();
  }
  return text.replace(WORD, (word) => corrected.get(word) ?? word);
}

function onlyWordNear(word: string, speller: Speller): string | null {
  const slips = [...slipsOf(word)].filter((near) => speller.knows(near));
  if (slips.length > 0) return slips.length === 1 ? (slips[0] ?? null) : null;
  let only: string | null = null;
  for (const near of neighboursOf(word)) {
    if (!speller.knows(near)) continue;
    if (only !== null) return null;
    only = near;
  }
  return only;
}
