import validator from 'validator';
import { findInRuns } from './find-in-runs.ts';
import type { Finder, Finding } from './personal-data.ts';

/** A country, two check digits, and groups as they stand on an invoice. */
const WRITTEN_IBAN = /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{1,4}){2,9}\b/gi;

/** "S E" in front of the digits, as it is read out. */
const SWEDEN_BEFORE = /\bs\W?\s?e\W*$/i;
const SWEDISH_IBAN_DIGITS = 22;

/** IBANs of any country when written, of Sweden when read out. The check digits must be right. */
export const findIbans: Finder = (text) => {
  const written: Finding[] = [];
  for (const match of text.matchAll(WRITTEN_IBAN)) {
    const length = ibanLength(match[0]);
    if (length > 0) {
      written.push({ start: match.index, end: match.index + length, kind: 'iban' });
    }
  }
  const spoken = findInRuns(text, (digits, _part, before) => {
    if (digits.length !== SWEDISH_IBAN_DIGITS || !SWEDEN_BEFORE.test(before)) return null;
    return validator.isIBAN(`SE${digits}`) ? 'iban' : null;
  }).map((finding) => ({ ...finding, start: startWithCountry(text, finding.start) }));
  return spoken
    .filter(({ start }) => written.every((other) => start >= other.end || start < other.start))
    .concat(written)
    .sort((a, b) => a.start - b.start)
    .filter((finding, index, all) => index === 0 || finding.start >= (all[index - 1]?.end ?? 0));
};

/** Card numbers of 13 to 19 digits: a known issuer's beginning and the right check digit. */
export const findCards: Finder = (text) =>
  findInRuns(text, (digits) => {
    if (digits.length < 13 || digits.length > 19) return null;
    return validator.isCreditCard(digits) ? 'kortnummer' : null;
  });

/** How many characters of `candidate` are an IBAN: words may have been taken in with it. */
function ibanLength(candidate: string): number {
  for (let length = candidate.length; length >= 15; length--) {
    const part = candidate.slice(0, length);
    const isWholeWord = length === candidate.length || candidate[length] === ' ';
    if (isWholeWord && validator.isIBAN(part.replaceAll(' ', ''))) return length;
  }
  return 0;
}

function startWithCountry(text: string, start: number): number {
  const country = SWEDEN_BEFORE.exec(text.slice(0, start));
  return country === null ? start : country.index;
}
