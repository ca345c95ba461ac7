import type { Dice } from './dice.ts';

/** How people read digits out. */
export type Speech = 'sv' | 'en';

const SINGLE = {
  sv: 'noll ett två tre fyra fem sex sju åtta nio'.split(' '),
  en: 'zero one two three four five six seven eight nine'.split(' '),
} as const;
const NOUNS = 'nolla etta tvåa trea fyra femma sexa sjua åtta nia'.split(' ');
const TEENS = {
  sv: 'tio elva tolv tretton fjorton femton sexton sjutton arton nitton'.split(' '),
  en: 'ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(' '),
} as const;
const TENS = {
  sv: 'tjugo trettio fyrtio femtio sextio sjuttio åttio nittio'.split(' '),
  en: 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' '),
} as const;

/** Each digit a word: "åtta fem noll". Zero may be "oh" in English. */
export function oneByOne(digits: string, speech: Speech, gap = ' ', zero?: string): string {
  const words = SINGLE[speech];
  return [...digits].map((digit) => (digit === '0' && zero) || words[Number(digit)]).join(gap);
}

/** Swedish digits as things: "nolla sjua trea". */
export function asNouns(digits: string): string {
  return [...digits].map((digit) => NOUNS[Number(digit)]).join(' ');
}

/** Two digits at a time: "åttiofem noll sju", "eighty-five oh seven"; an odd one comes first. */
export function inPairs(digits: string, speech: Speech, gap = ' '): string {
  const first = digits.length % 2 === 1 ? [digits.slice(0, 1)] : [];
  const pairs = digits.slice(first.length).match(/../g) ?? [];
  return [...first, ...pairs].map((part) => pairOf(part, speech)).join(gap);
}

function pairOf(part: string, speech: Speech): string {
  if (part.length === 1 || part.startsWith('0')) return oneByOne(part, speech);
  const [tens, unit] = [Number(part[0]), Number(part[1])];
  if (tens === 1) return TEENS[speech][unit] ?? '';
  const begin = TENS[speech][tens - 2] ?? '';
  if (unit === 0) return begin;
  return `${begin}${speech === 'sv' ? '' : '-'}${SINGLE[speech][unit]}`;
}

/** A year as it is said: "nittonhundraåttiofem", "tjugohundrasju". */
export function year(digits: string): string {
  const century = digits.startsWith('19') ? 'nittonhundra' : 'tjugohundra';
  const rest = digits.slice(2);
  return century + (rest === '00' ? '' : pairOf(rest, 'sv').replace('noll ', ''));
}

/** Digits in groups of these lengths, read out with a comma between two groups. */
export function inGroups(
  digits: string,
  lengths: readonly number[],
  read: (part: string) => string,
) {
  let at = 0;
  return lengths
    .map((length) => {
      const part = digits.slice(at, at + length);
      at += length;
      return read(part);
    })
    .join(', ');
}

/** Somebody who reads out chooses one way and keeps to it. */
export function readOut(digits: string, speech: Speech, dice: Dice): string {
  return dice.pick([
    () => oneByOne(digits, speech),
    () => oneByOne(digits, speech, ', '),
    () => inPairs(digits, speech),
    () => (speech === 'sv' ? asNouns(digits) : oneByOne(digits, 'en', ' ', 'oh')),
  ])();
}
