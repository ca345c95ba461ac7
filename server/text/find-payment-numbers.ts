import validator from 'validator';
import type { DigitRun } from './digit-runs.ts';
import { type DigitCounts, findInRuns, findWholeRuns, gap } from './find-in-runs.ts';
import type { Finder, Finding } from './personal-data.ts';

/**
 * A country, two check digits, and what follows with spaces or hyphens anywhere, as on an invoice.
 * A look-ahead takes nothing, so a code in front of an IBAN does not swallow its beginning.
 */
const WRITTEN_IBAN = /\b(?=([A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]){11,30}\b))/gi;

/** "S E" in front of the digits, as it is read out. */
const SWEDEN_BEFORE = /\bs\W?\s?e\W*$/i;
const SWEDISH_IBAN_DIGITS: DigitCounts = new Set([22]);

/** How far in front of the digits the country is looked for. */
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

/** How many characters of `candidate` are an IBAN: words may have been taken in with it. */
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
