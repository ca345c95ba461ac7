import Personnummer from 'personnummer';
import type { DigitRun } from './digit-runs.ts';
import { findInRuns } from './find-in-runs.ts';
import type { Finder, PersonalDataKind } from './personal-data.ts';

const SAYS_PERSON =
  /(?:person\s?(?:nummer|nr)|\bpnr\b|samordningsn|personal (?:identity )?number)/i;
const SAYS_ORGANISATION =
  /(?:organisationsn|\borg\.?\s?(?:nr|nummer)|org-?nr|organi[sz]ation number)/i;

/**
 * Personnummer and samordningsnummer of 10 or 12 digits, written or spoken: a real date and the right
 * check digit, or, where the text says that one follows, the right shape, because an engine may have
 * misheard a digit. Swedish rules of 1967 and 1998 by way of the package `personnummer`.
 */
export const findPersonalNumbers: Finder = (text) =>
  findInRuns(text, (digits, part, before) => {
    if (digits.length !== 10 && digits.length !== 12) return null;
    if (!isWrittenInGroups(part)) return null;
    if (Personnummer.valid(digits)) return kindOf(digits);
    if (!SAYS_PERSON.test(before)) return null;
    return hasDate(digits.slice(-10)) ? kindOf(digits) : null;
  });

/**
 * Organisationsnummer: six digits and four with a hyphen (or a word for it), the third at least 2, the
 * check digit right; without the hyphen only where the text says what follows.
 */
export const findOrganisationNumbers: Finder = (text) =>
  findInRuns(text, (digits, part, before) => {
    if (digits.length !== 10 || !/^[1-9]\d[2-9]/.test(digits) || !passesLuhn(digits)) return null;
    if (SAYS_ORGANISATION.test(before)) return 'organisationsnummer';
    return isSixAndFour(text, part) ? 'organisationsnummer' : null;
  });

/** A birth day over 60 marks a samordningsnummer. */
function kindOf(digits: string): PersonalDataKind {
  return Number(digits.slice(-6, -4)) > 60 ? 'samordningsnummer' : 'personnummer';
}

/** Ten written digits fall into groups where a date and four digits do, not just anywhere. */
function isWrittenInGroups(part: DigitRun): boolean {
  if (part.some(({ isSpoken }) => isSpoken)) return true;
  if (part.every(({ digits }) => digits.length <= 2)) return true;
  return part.length === 1 || part.at(-1)?.digits.length === 4;
}

function isSixAndFour(text: string, part: DigitRun): boolean {
  const [six, four] = part;
  if (part.length !== 2 || six?.digits.length !== 6 || four === undefined) return false;
  return /^\s?[-–]\s?$/.test(text.slice(six.end, four.start));
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
