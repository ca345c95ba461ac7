/** Digits that a person reads out one by one, in Swedish and English. */
const DIGITS: Readonly<Record<string, string>> = {
  noll: '0',
  nolla: '0',
  ett: '1',
  en: '1',
  etta: '1',
  två: '2',
  tvåa: '2',
  tre: '3',
  trea: '3',
  fyra: '4',
  fem: '5',
  femma: '5',
  sex: '6',
  sexa: '6',
  sju: '7',
  sjua: '7',
  åtta: '8',
  nio: '9',
  nia: '9',
  zero: '0',
  oh: '0',
  o: '0',
  one: '1',
  two: '2',
  three: '3',
  four: '4',
  five: '5',
  six: '6',
  seven: '7',
  eight: '8',
  nine: '9',
};

const TEENS: Readonly<Record<string, string>> = {
  tio: '10',
  elva: '11',
  tolv: '12',
  tretton: '13',
  fjorton: '14',
  femton: '15',
  sexton: '16',
  sjutton: '17',
  arton: '18',
  nitton: '19',
  ten: '10',
  eleven: '11',
  twelve: '12',
  thirteen: '13',
  fourteen: '14',
  fifteen: '15',
  sixteen: '16',
  seventeen: '17',
  eighteen: '18',
  nineteen: '19',
};

const TENS: Readonly<Record<string, string>> = {
  tjugo: '2',
  trettio: '3',
  fyrtio: '4',
  femtio: '5',
  sextio: '6',
  sjuttio: '7',
  åttio: '8',
  nittio: '9',
  tretti: '3',
  fyrti: '4',
  förti: '4',
  femti: '5',
  sexti: '6',
  sjutti: '7',
  åtti: '8',
  nitti: '9',
  twenty: '2',
  thirty: '3',
  forty: '4',
  fifty: '5',
  sixty: '6',
  seventy: '7',
  eighty: '8',
  ninety: '9',
};

/** The first half of a year: `nittonhundraåttiofem`. */
const CENTURY = /^(arton|nitton|tjugo)hundra(.*)$/;
const CENTURIES: Readonly<Record<string, string>> = { arton: '18', nitton: '19', tjugo: '20' };

/** Three digits at once: `hundratjugotre`, `femhundraåtta`; "hundra" alone goes on in the next word. */
const HUNDREDS = /^(?!hundra(?:och)?$)(ett|två|tre|fyra|fem|sex|sju|åtta|nio)?hundra(?:och)?(.*)$/;

/**
 * The digits one spoken word stands for when numbers are read out: `sju` is 7, `åttiofem` 85 and
 * `nittonhundraåttiofem` 1985. Null for a word that is no number.
 */
export function digitsOfWord(word: string): string | null {
  const lower = word.toLowerCase();
  const century = CENTURY.exec(lower);
  if (century !== null) {
    const [, name = '', rest = ''] = century;
    const years = rest === '' ? '' : underHundred(rest);
    return years === null ? null : `${CENTURIES[name]}${years.length === 1 ? `0${years}` : years}`;
  }
  const hundreds = HUNDREDS.exec(lower);
  if (hundreds !== null) {
    const [, count = '', rest = ''] = hundreds;
    const below = rest === '' ? '00' : underHundred(rest);
    return below === null ? null : `${DIGITS[count] ?? '1'}${below.padStart(2, '0')}`;
  }
  // "nollåtta", "nollsjuttio": how area codes are said.
  const afterZero = /^noll(?=.)(.*)$/.exec(lower)?.[1] ?? null;
  const rest = afterZero === null ? null : underHundred(afterZero);
  return rest === null ? underHundred(lower) : `0${rest}`;
}

/** True if a unit said after this word belongs to it: "tjugo tre" is 23. */
export function isTens(word: string): boolean {
  return Object.hasOwn(TENS, word.toLowerCase());
}

/** Looked up for every word of a text: put together once, it is found at once. */
const UNDER_HUNDRED: ReadonlyMap<string, string> = new Map([
  ...Object.entries(TENS).flatMap(([tens, digit]) => [
    [tens, `${digit}0`] as const,
    ...Object.entries(DIGITS).flatMap(([unit, value]) => [
      [`${tens}${unit}`, `${digit}${value}`] as const,
      [`${tens}-${unit}`, `${digit}${value}`] as const,
    ]),
  ]),
  ...Object.entries(TEENS),
  ...Object.entries(DIGITS),
]);

function underHundred(word: string): string | null {
  return UNDER_HUNDRED.get(word) ?? null;
}
