import Personnummer from 'personnummer';
import validator from 'validator';
import {
  type DigitCounts,
  type DigitRun,
  type Finder,
  type Finding,
  findInRuns,
  findWholeRuns,
  gap,
  type PersonalDataKind,
} from './find-in-runs.ts';

const SAYS_PERSON =
  /(?:person\s?(?:nummer|nr)|\bpnr\b|samordningsn|personal (?:identity )?number)/i;
const SAYS_ORGANISATION = /(?:organisationsn|\borg[.\s-]{0,2}(?:nr|num)|organi[sz]ation number)/i;
/** With the century, or 16, in front or not. */
const TEN_OR_TWELVE: DigitCounts = new Set([10, 12]);

const SAYS_PHONE = /(?:telefon|mobil|\bring\b|\bphone|\bcall\b)/i;

/**
 * Personnummer and samordningsnummer of 10 or 12 digits, written or spoken: a real date and the
 * right check digit. Where the text says that one follows the shape is enough: an engine may have
 * misheard a digit. Swedish rules of 1967 and 1998 by way of the package `personnummer`.
 */
export const findPersonalNumbers: Finder = (text) =>
  findInRuns(text, TEN_OR_TWELVE, (digits, part, { before, after, isOfList }) => {
    if (isOfList || !isWrittenInGroups(text, part) || !hasCentury(digits)) return null;
    const saysPerson = SAYS_PERSON.test(before) || SAYS_PERSON.test(after);
    if (!saysPerson && isTimeOfDay(text, part)) return null;
    // Mobile numbers begin as the birthdays of 2002 to 2009 do.
    if (digits.startsWith('0') && SAYS_PHONE.test(before) && !saysPerson) return null;
    if (Personnummer.valid(digits)) return kindOf(digits);
    if (!saysPerson) return null;
    return hasDate(digits.slice(-10)) ? kindOf(digits) : null;
  });

/**
 * Organisationsnummer: six digits and four with a hyphen (or a word for it), the third at least 2,
 * the check digit right, 16 in front or not. Without the hyphen only where the text says what
 * follows.
 */
export const findOrganisationNumbers: Finder = (text) =>
  findInRuns(text, TEN_OR_TWELVE, (digits, part, { before, after, isOfList }) => {
    if (isOfList) return null;
    const ten = digits.length === 12 ? digits.replace(/^16/, '') : digits;
    if (!/^[1-9]\d[2-9]\d{7}$/.test(ten) || !passesLuhn(ten)) return null;
    const isSaid = SAYS_ORGANISATION.test(before) || SAYS_ORGANISATION.test(after);
    if (isSaid) return 'organisationsnummer';
    return isBeforeFour(text, part) ? 'organisationsnummer' : null;
  });

/** A birth day over 60 marks a samordningsnummer. */
function kindOf(digits: string): PersonalDataKind {
  return Number(digits.slice(-6, -4)) > 60 ? 'samordningsnummer' : 'personnummer';
}

/** "2024-01-15 0830": a recent day, a space and a time are when something was noted. */
function isTimeOfDay(text: string, part: DigitRun): boolean {
  const [first, last] = [part[0], part.at(-1)];
  if (first === undefined || last === undefined || part.length < 2) return false;
  const written = text.slice(first.start, last.end);
  return /^(?:20)?[123]\d(?:-?[01]\d-?[0-3]\d|\s[01]\d\s[0-3]\d)\s(?:[01]\d|2[0-3])[0-5]\d$/.test(
    written,
  );
}

const DATE_GROUPS: ReadonlySet<string> = new Set(['6', '8', '2,2,2', '4,2,2', '4,4']);

/** Ten written digits fall into groups where a date and four digits do, not just anywhere. */
function isWrittenInGroups(text: string, part: DigitRun): boolean {
  if (part.length === 1 || part.some(({ isSpoken }) => isSpoken)) return true;
  const lengths = part.map(({ digits }) => digits.length);
  const areShort = lengths.every((length) => length <= 2);
  if (!areShort && !(lengths.at(-1) === 4 && DATE_GROUPS.has(lengths.slice(0, -1).join()))) {
    return false;
  }
  // A date has one mark in it, and so have the four digits; two dates or times have more.
  let count = 0;
  const marks = [new Set<string>(), new Set<string>()] as const;
  part.slice(0, -1).forEach(({ digits }, at) => {
    count += digits.length;
    const left = lengths.reduce((sum, length) => sum + length, 0) - count;
    if (left !== 4) marks[left > 4 ? 0 : 1].add(gap(text, part, at));
  });
  return marks.every(({ size }) => size < 2);
}

/** Two groups with a hyphen, four digits in the second. */
function isBeforeFour(text: string, part: DigitRun): boolean {
  const [first, four] = part;
  if (part.length !== 2 || first === undefined || four?.digits.length !== 4) return false;
  return /^\s?[-–]\s?$/.test(text.slice(first.end, four.start));
}

/** Twelve digits begin with a year of somebody who may be alive; the package takes any. */
function hasCentury(digits: string): boolean {
  return digits.length === 10 || /^(?:19|20)/.test(digits);
}

function hasDate(tenDigits: string): boolean {
  const month = Number(tenDigits.slice(2, 4));
  const day = Number(tenDigits.slice(4, 6)) % 60;
  return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

/** Luhn's check: every second digit from the right doubled, the digit sum a multiple of ten. */
function passesLuhn(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

/**
 * A country, two check digits, and what follows with spaces or hyphens anywhere, as on an invoice.
 * A look-ahead takes nothing, so a code in front of an IBAN does not swallow its beginning.
 */
const WRITTEN_IBAN = /\b(?=([A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]){11,30}\b))/gi;

/** "S E" in front of the digits, as it is read out. */
const SWEDEN_BEFORE = /\bs\W?\s?e\W*$/i;
const SWEDISH_IBAN_DIGITS: DigitCounts = new Set([22]);

/** The distance in front of the digits within which the country is looked for. */
const COUNTRY_CHARACTERS = 48;

/** IBANs of any country when written, of Sweden when read out. The check digits must be right. */
export const findIbans: Finder = (text) => {
  const written: Finding[] = [];
  for (const match of text.matchAll(WRITTEN_IBAN)) {
    const length = ibanLength(match[1] ?? '');
    if (length > 0) {
      written.push({ start: match.index, end: match.index + length, kind: 'iban' });
    }
  }
  const spoken = findInRuns(text, SWEDISH_IBAN_DIGITS, (digits, _part, { before, isOfList }) => {
    if (isOfList || !SWEDEN_BEFORE.test(before)) return null;
    return validator.isIBAN(`SE${digits}`) ? 'iban' : null;
  }).map((finding) => ({ ...finding, start: startWithCountry(text, finding.start) }));
  return spoken
    .filter(({ start }) => written.every((other) => start >= other.end || start < other.start))
    .concat(written)
    .sort((a, b) => a.start - b.start)
    .filter((finding, index, all) => index === 0 || finding.start >= (all[index - 1]?.end ?? 0));
};

/** Numbers of parcels have 17 or 18. */
const CARD_DIGITS: DigitCounts = new Set([13, 14, 15, 16, 19]);

/** Card numbers of 13 to 19 digits: a known issuer's beginning and the right check digit. */
export const findCards: Finder = (text) =>
  findInRuns(text, CARD_DIGITS, (digits, part, { isOfList }) =>
    isOfList ? null : judgeCard(text, digits, part),
  );

/** Those with no other digits beside them: a personnummer may be read into the middle of one. */
export const findLoneCards: Finder = (text) =>
  findWholeRuns(text, CARD_DIGITS, (digits, part) => judgeCard(text, digits, part));

function judgeCard(text: string, digits: string, part: DigitRun): 'kortnummer' | null {
  // Three more are the security code far more often than a card of 19.
  if (digits.length === 19 && validator.isCreditCard(digits.slice(0, 16))) return null;
  if (text.charAt((part[0]?.start ?? 0) - 1) === '+') return null;
  return isWrittenAsOne(text, part) && validator.isCreditCard(digits) ? 'kortnummer' : null;
}

/** Beside groups of one length: American Express, Diners, and long numbers of the others. */
const CARD_GROUPS: ReadonlySet<string> = new Set(['4,6,5', '4,6,4', '4,4,4,4,3', '4,4,4,1']);

/** Two numbers in a row have all kinds of marks between their groups; a card has one of them. */
function isWrittenAsOne(text: string, part: DigitRun): boolean {
  if (part.some(({ isSpoken }) => isSpoken)) return true;
  const marks = new Set(part.slice(1).map((_, at) => gap(text, part, at).trim()));
  const lengths = part.map(({ digits }) => digits.length);
  if (new Set(lengths).size > 1 && !CARD_GROUPS.has(lengths.join())) return false;
  return marks.size < 2 && !marks.has('+');
}

/** The number of characters of `candidate` that are an IBAN: words may have been taken in with it. */
function ibanLength(candidate: string): number {
  for (let length = candidate.length; length >= 15; length--) {
    const part = candidate.slice(0, length);
    const isWholeWord = length === candidate.length || /[ -]/.test(candidate.charAt(length));
    if (isWholeWord && validator.isIBAN(part.replaceAll(/[ -]/g, ''))) return length;
  }
  return 0;
}

function startWithCountry(text: string, start: number): number {
  const from = Math.max(0, start - COUNTRY_CHARACTERS);
  const country = SWEDEN_BEFORE.exec(text.slice(from, start));
  return country === null ? start : from + country.index;
}
