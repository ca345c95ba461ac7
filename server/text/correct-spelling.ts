import { slipsOf, withLetterPutIn } from './near-words.ts';
import type { Speller } from './speller.ts';

/** Words in lower case alone: capitals may be names, digits codes, brackets placeholders. */
const WORD = /(?<![\p{L}\p{N}_@[\]./'’-])\p{Ll}{4,20}(?![\p{L}\p{N}_@[\]/'’-]|\.\p{L})/gu;

/** Looking for near words takes a few ms each; more unknown ones are another language. */
const MAX_UNKNOWN = 40;

/**
 * How often a word must be used, by the slip's length. A short slip is soon another name, and near
 * enough is only what people say all the time; a long one has few neighbours.
 */
const MAX_RANKS_OF_SLIPS = [150, 2_000, 5_000, 5_000, 10_000];
const MIN_LETTERS_OF_SLIP = 4;

/** The same for one letter left out, which makes a word of many a name. */
const MAX_RANKS_OF_GAPS = [2_000, 2_000, 10_000];
const MIN_LETTERS_OF_GAP = 7;

/** Of two words the one that is used so many times as often as the other is meant. */
const CLEAR_RANKS = 10;
/** Right, but in no list of the words most used. */
const UNUSED_RANK = 20_000;

/**
 * Corrects a word only when it cannot be right and there is no doubt about what was meant. It
 * cannot be right when no dictionary and no list knows it, it stands in the text once, and it is
 * none of `ownWords`. No doubt: one frequent word alone is a slip away, or is used much more than
 * the others that are. A slip is two letters swapped, one doubled, a double one halved, or, in
 * longer words, one left out. Letters are never changed or taken away: that makes dioxin of
 * digoxin.
 */
export function correctSpelling(
  text: string,
  speller: Speller,
  ownWords: ReadonlySet<string>,
): string {
  const corrected = new Map<string, string>();
  for (const word of unknownWords(text, speller, ownWords)) {
    const better = meantBy(word, speller);
    if (better !== null) corrected.set(word, better);
  }
  return corrected.size === 0 ? text : text.replace(WORD, (word) => corrected.get(word) ?? word);
}

/** What stands once and cannot be right; nothing where too much is unknown. */
function unknownWords(text: string, speller: Speller, ownWords: ReadonlySet<string>): string[] {
  const times = new Map<string, number>();
  for (const [word] of text.matchAll(WORD)) {
    const before = times.get(word) ?? 0;
    if (before === 0 && (ownWords.has(word) || speller.mayBeRight(word))) continue;
    times.set(word, before + 1);
    if (times.size > MAX_UNKNOWN) return [];
  }
  // A slip happens once; what comes again is how somebody wants it.
  return [...times].filter(([, count]) => count === 1).map(([word]) => word);
}

function meantBy(word: string, speller: Speller): string | null {
  const slips = [...slipsOf(word)].filter(speller.mayBeRight);
  if (slips.length > 0) {
    return mostUsed(slips, speller, maxRank(MAX_RANKS_OF_SLIPS, word.length - MIN_LETTERS_OF_SLIP));
  }
  const maxRankOfGap = maxRank(MAX_RANKS_OF_GAPS, word.length - MIN_LETTERS_OF_GAP);
  const all = [...withLetterPutIn(word)];
  const used = all.filter((near) => speller.rankOf(near) !== null);
  const best = mostUsed(used, speller, maxRankOfGap);
  // Rare words count only against one that is not much more frequent: dictionaries take their time.
  if (best === null || CLEAR_RANKS * (rankIn(speller, best) + 1) <= UNUSED_RANK) return best;
  return mostUsed(all.filter(speller.mayBeRight), speller, maxRankOfGap);
}

/** The last holds for longer words, too; no word is shorter than the first. */
function maxRank(ranks: readonly number[], at: number): number {
  return at < 0 ? 0 : (ranks[Math.min(at, ranks.length - 1)] ?? 0);
}

/** The one that is used much more than any other; null where none is used much, or two are. */
function mostUsed(words: readonly string[], speller: Speller, below: number): string | null {
  const ranked = words
    .map((word) => ({ word, rank: rankIn(speller, word) }))
    .sort((a, b) => a.rank - b.rank);
  const [best, second] = ranked;
  if (best === undefined || best.rank >= below) return null;
  return second === undefined || second.rank >= CLEAR_RANKS * (best.rank + 1) ? best.word : null;
}

function rankIn(speller: Speller, word: string): number {
  return speller.rankOf(word) ?? UNUSED_RANK;
}
