import validator from 'validator';
import { type DigitCounts, findInRuns, findWholeRuns } from './find-in-runs.ts';
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
  const spoken = findInRuns(text, SWEDISH_IBAN_DIGITS, (digits, _part, { before }) => {
    if (!SWEDEN_BEFORE.test(before)) return null;
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
export const findCards: Finder = (text) => findInRuns(text, CARD_DIGITS, judgeCard);

/** Those with no other digits beside them: a personnummer may be read into the middle of one. */
export const findLoneCards: Finder = (text) => findWholeRuns(text, judgeCard);

function judgeCard(digits: string): 'kortnummer' | null {
  if (!CARD_DIGITS.has(digits.length)) return null;
  return validator.isCreditCard(digits) ? 'kortnummer' : null;
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
