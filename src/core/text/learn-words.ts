import { isCommonWord } from './common-words.ts';
import { isNearKey, phoneticKey } from './phonetic-key.ts';
import { type Token, tokensOf } from './tokens.ts';
import type { VocabularyEntry } from './vocabulary.ts';

/** Words that were put in the place of others by hand. */
export type Correction = { readonly was: string; readonly now: string };

/** A longer change is a sentence written again, and no correction of a word. */
const MOST_WORDS = 3;
const MIN_LETTERS = 4;

/**
 * The one place where a text was changed, in whole words; null if more than one place was, nothing
 * was taken out or put in, or too much. Linear time.
 */
export function correctionIn(before: string, after: string): Correction | null {
  const [old, now] = [tokensOf(before).tokens, tokensOf(after).tokens];
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start]?.said === now[start]?.said) start++;
  let tail = 0;
  while (tail < shorter - start && old.at(-1 - tail)?.said === now.at(-1 - tail)?.said) tail++;
  const [was, is] = [old.slice(start, old.length - tail), now.slice(start, now.length - tail)];
  if (was.length === 0 || is.length === 0) return null;
  if (was.length > MOST_WORDS || is.length > MOST_WORDS) return null;
  return { was: wordsOf(was), now: wordsOf(is) };
}

const wordsOf = (tokens: readonly Token[]): string => tokens.map(({ said }) => said).join(' ');

const lettersOf = (words: string): string => words.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

const isOrdinary = (words: string): boolean =>
  words
    .toLowerCase()
    .split(' ')
    .every((word) => isCommonWord(word, false) || isCommonWord(word, true));

/**
 * The entry to offer for a correction, in a language such as `sv`: what sounds like the words that
 * were there, and is no ordinary word; null if there is none.
 */
export function entryToOffer(
  { was, now }: Correction,
  language: string,
  vocabulary: readonly VocabularyEntry[],
): VocabularyEntry | null {
  const [old, letters] = [lettersOf(was), lettersOf(now)];
  if (letters.length < MIN_LETTERS || !/\p{L}/u.test(now) || /\d/.test(now)) return null;
  // Only written otherwise, or an ending more: no new word.
  if (old === letters || old.startsWith(letters) || letters.startsWith(old)) return null;
  if (isOrdinary(now) || vocabulary.some(({ write }) => write === now)) return null;
  const isEnglish = language.slice(0, 2).toLowerCase() === 'en';
  const [oldKey, key] = [phoneticKey(old, isEnglish), phoneticKey(letters, isEnglish)];
  if (oldKey !== key && !isNearKey(oldKey, key)) return null;
  // Words that are said otherwise, too, must not become it.
  return isOrdinary(was) ? { write: now } : { write: now, soundsLike: [was.toLowerCase()] };
}
