import type { PersonalDataKind } from '../../../server/text/find-in-runs.ts';

/** Chance for makers of test data; the same seed throws the same. */
export type Dice = {
  /** A whole number from `least` to `most`. */
  whole(least: number, most: number): number;
  pick<T>(choices: readonly T[]): T;
  /** `count` digits. */
  digits(count: number): string;
};

/** Makes dice out of random numbers in [0, 1). */
export function createDice(random: () => number): Dice {
  const whole = (least: number, most: number) => least + Math.floor(random() * (most - least + 1));
  return {
    whole,
    pick(choices) {
      const choice = choices[whole(0, choices.length - 1)];
      if (choice === undefined) throw new Error('there is nothing to pick');
      return choice;
    },
    digits: (count) => Array.from({ length: count }, () => whole(0, 9)).join(''),
  };
}

/** Numbers as bare digits, made up, with right check digits. */

/** The digit that makes `digits` and itself pass Luhn's check. */
export function luhnDigit(digits: string): string {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return String((10 - (sum % 10)) % 10);
}

const two = (value: number) => String(value).padStart(2, '0');

/** Twelve digits of somebody born from 1930 to 2019; a samordningsnummer's day is 60 more. */
export function personalNumber(dice: Dice, dayOffset = 0): string {
  const year = dice.whole(1930, 2019);
  const rest = `${two(dice.whole(1, 12))}${two(dice.whole(1, 28) + dayOffset)}${String(dice.whole(1, 999)).padStart(3, '0')}`;
  const nine = `${String(year).slice(2)}${rest}`;
  return `${String(year).slice(0, 2)}${nine}${luhnDigit(nine)}`;
}

/** Ten digits of a company or an association. */
export function organisationNumber(dice: Dice): string {
  const start = `${dice.pick(['55', '55', '55', '76', '80', '96', '21'])}${dice.whole(2, 9)}`;
  const nine = start + dice.digits(6);
  return nine + luhnDigit(nine);
}

/** Country and digits, without spaces. */
export function iban(dice: Dice): string {
  const [country, length] = dice.pick([
    ['SE', 20],
    ['SE', 20],
    ['SE', 20],
    ['NO', 11],
    ['DK', 14],
    ['FI', 14],
    ['DE', 18],
  ] as const);
  const account = dice.digits(length);
  const letters = [...country].map((letter) => String(letter.charCodeAt(0) - 55)).join('');
  const check = 98n - (BigInt(`${account}${letters}00`) % 97n);
  return `${country}${String(check).padStart(2, '0')}${account}`;
}

/** A card's digits: Visa, Mastercard or American Express. */
export function card(dice: Dice): string {
  const start = dice.pick(['4', '4', '51', '55', '34', '37']);
  const length = start.startsWith('3') ? 15 : 16;
  const body = start + dice.digits(length - 1 - start.length);
  return body + luhnDigit(body);
}

/** National digits of a Swedish mobile phone. */
export function mobile(dice: Dice): string {
  return `07${dice.pick(['0', '2', '3', '6', '9'])}${dice.whole(1, 9)}${dice.digits(6)}`;
}

/** A landline's area code and the rest, of exchanges that exist. */
export function landline(dice: Dice): readonly [string, string] {
  const [area, start, count] = dice.pick([
    ['08', '508', 5],
    ['08', '6', 6],
    ['031', '365', 4],
    ['040', '34', 4],
    ['046', '35', 4],
    ['018', '727', 4],
    ['0771', '', 6],
  ] as const);
  return [
    area,
    start === '' ? `${dice.whole(1, 9)}${dice.digits(count - 1)}` : start + dice.digits(count),
  ];
}

/** The language in which digits are read out. */
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

/** Makes one number or address in one of its written or spoken forms. */
export type Maker = (dice: Dice, speech: Speech) => string;

const cut = (digits: string, lengths: readonly number[], gap: string) => {
  let at = 0;
  return lengths
    .map((length) => {
      at += length;
      return digits.slice(at - length, at);
    })
    .join(gap);
};
const fours = (text: string, gap: string) => text.match(/.{1,4}/g)?.join(gap) ?? text;

function personal(dice: Dice, speech: Speech, dayOffset: number): string {
  const long = personalNumber(dice, dayOffset);
  const short = long.slice(2);
  const isOld = Number(long.slice(0, 4)) <= 1925;
  const dash = isOld ? '+' : '-';
  return dice.pick([
    () => `${short.slice(0, 6)}${dash}${short.slice(6)}`,
    () => `${short.slice(0, 6)}${dash}${short.slice(6)}`,
    () => `${long.slice(0, 8)}${dash}${long.slice(8)}`,
    () => `${long.slice(0, 8)}-${long.slice(8)}`,
    () => short,
    () => long,
    () => cut(short, [6, 4], ' '),
    () => cut(short, [6, 4], ' - '),
    () => cut(short, [6, 4], '–'),
    () => cut(long, [8, 4], ' '),
    () => cut(long, [4, 2, 2, 4], ' '),
    () => cut(long, [4, 2, 2, 4], '-'),
    () => `${cut(long.slice(0, 8), [4, 2, 2], '-')} ${long.slice(8)}`,
    () => `${cut(short.slice(0, 6), [2, 2, 2], ' ')}-${short.slice(6)}`,
    () => cut(short, [2, 2, 2, 2, 2], ' '),
    () => [...short].join(' '),
    () => [...short].join(', '),
    () => readOut(short, speech, dice),
    () => readOut(short, speech, dice),
    () => inGroups(short, [6, 4], (part) => oneByOne(part, speech)),
    () => inGroups(short, [2, 2, 2, 4], (part) => inPairs(part, speech)),
    () =>
      `${oneByOne(short.slice(0, 6), speech)} ${speech === 'sv' ? 'streck' : 'dash'} ${oneByOne(short.slice(6), speech)}`,
    () =>
      speech === 'sv'
        ? `${year(long.slice(0, 4))} ${inPairs(long.slice(4), 'sv')}`
        : readOut(long, 'en', dice),
  ])();
}

const organisation: Maker = (dice, speech) => {
  const ten = organisationNumber(dice);
  return dice.pick([
    () => cut(ten, [6, 4], '-'),
    () => cut(ten, [6, 4], '-'),
    () => cut(ten, [6, 4], '–'),
    () => cut(ten, [6, 4], ' - '),
    () => ten,
    () => cut(ten, [6, 4], ' '),
    () => `16${cut(ten, [6, 4], '-')}`,
    () => readOut(ten, speech, dice),
    () => inGroups(ten, [6, 4], (part) => oneByOne(part, speech)),
  ])();
};

const ibanOf: Maker = (dice, speech) => {
  const whole = iban(dice);
  const spell = `${[...whole.slice(0, 2)].join(' ')} ${oneByOne(whole.slice(2), speech)}`;
  return dice.pick([
    () => fours(whole, ' '),
    () => fours(whole, ' '),
    () => whole,
    () => fours(whole, '-'),
    () => whole.toLowerCase(),
    () => (whole.startsWith('SE') ? spell : fours(whole, ' ')),
  ])();
};

const cardOf: Maker = (dice, speech) => {
  const digits = card(dice);
  const groups = digits.length === 15 ? [4, 6, 5] : [4, 4, 4, 4];
  return dice.pick([
    () => cut(digits, groups, ' '),
    () => cut(digits, groups, ' '),
    () => cut(digits, groups, '-'),
    () => digits,
    () => readOut(digits, speech, dice),
    () => inGroups(digits, groups, (part) => oneByOne(part, speech)),
    () => inGroups(digits, groups, (part) => inPairs(part, speech)),
  ])();
};

const GIVEN = ['anna', 'bo', 'eva', 'karl', 'maria', 'nils', 'sara', 'johan', 'ellen', 'ali'];
const FAMILY = ['berg', 'lind', 'ek', 'holm', 'nyström', 'smith', 'dahl', 'larsson', 'vik'];
const SITES = ['example', 'firman', 'regionen', 'skolan', 'gmail', 'sjukhuset', 'kommun-test'];

const email: Maker = (dice, speech) => {
  const [given, family] = [dice.pick(GIVEN), dice.pick(FAMILY)];
  const site = dice.pick(SITES);
  const written = site.replace(' ', '');
  const end = dice.pick(['se', 'com', 'org', 'nu']);
  const [dot, at] = speech === 'sv' ? ['punkt', 'snabel-a'] : ['dot', 'at'];
  const plain = site.replace('-test', '');
  return dice.pick([
    () => `${given}.${family}@${written}.${end}`,
    () => `${given}_${family}${dice.whole(1, 99)}@${written}.${end}`,
    () => `${given}@mail.${written}.${end}`,
    () => `${given.toUpperCase()}.${family.toUpperCase()}@${written.toUpperCase()}.SE`,
    () => `${given} ${dot} ${family} ${at} ${plain} ${dot} ${end}`,
    () => `${given} ${dot} ${family} ${at} ${plain} ${dot} ${end}`,
    () => `${given}.${family} ${at} ${plain}.${end}`,
    () =>
      speech === 'sv' ? `${given} snabel a ${plain} punkt ${end}` : `${given}@${plain}.${end}`,
  ])();
};

const phone: Maker = (dice, speech) => {
  const digits = mobile(dice);
  const [area, rest] = landline(dice);
  const abroad = digits.slice(1);
  return dice.pick([
    () => `${digits.slice(0, 3)}-${cut(digits.slice(3), [3, 2, 2], ' ')}`,
    () => `${digits.slice(0, 3)}-${digits.slice(3)}`,
    () => cut(digits, [3, 3, 2, 2], ' '),
    () => cut(digits, [3, 3, 4], ' '),
    () => `${digits.slice(0, 4)}-${cut(digits.slice(4), [2, 2, 2], ' ')}`,
    () => digits,
    () => `+46${abroad}`,
    () => `+46 ${cut(abroad, [2, 3, 2, 2], ' ')}`,
    () => `+46 (0)${cut(abroad, [2, 3, 2, 2], ' ')}`,
    () => `0046${abroad}`,
    () => `${area}-${rest}`,
    () => `${area}-${cut(rest, [rest.length - 4, 2, 2], ' ')}`,
    () => `${area} ${cut(rest, [rest.length - 4, 2, 2], ' ')}`,
    () => `(${area}) ${rest}`,
    () => `${area}/${cut(rest, [rest.length - 4, 2, 2], ' ')}`,
    () => readOut(digits, speech, dice),
    () => readOut(digits, speech, dice),
    () => inGroups(digits, [3, 3, 2, 2], (part) => oneByOne(part, speech)),
    () => `${oneByOne(digits.slice(0, 3), speech)}, ${inPairs(digits.slice(3), speech)}`,
    () => oneByOne(area + rest, speech),
    () => [...digits].join(' '),
  ])();
};

/** A maker for each kind. */
export const MAKERS: Readonly<Record<PersonalDataKind, Maker>> = {
  personnummer: (dice, speech) => personal(dice, speech, 0),
  samordningsnummer: (dice, speech) => personal(dice, speech, 60),
  organisationsnummer: organisation,
  iban: ibanOf,
  kortnummer: cardOf,
  'e-post': email,
  telefonnummer: phone,
};
