import {
  type CountryCode,
  findPhoneNumbersInText,
  parsePhoneNumberFromString,
} from 'libphonenumber-js';
import type { DigitRun } from './digit-runs.ts';
import { type DigitCounts, findInRuns } from './find-in-runs.ts';
import type { Finder, Finding } from './personal-data.ts';

/** Swedish numbers everywhere; in English texts British ones, too. */
const countriesOf = (language: string): readonly CountryCode[] =>
  language === 'en' ? ['SE', 'GB'] : ['SE'];

/** North American numbers begin with neither 0 nor +; only their own ways of writing are taken. */
const NORTH_AMERICAN = /(?<![\d-])(?:\(\d{3}\) ?|\d{3}[-.])\d{3}[-.]\d{4}(?![\d-])/g;

/**
 * Phone numbers that exist by their country's plan. They must begin with 0 or +: else dates and
 * amounts would be taken for some.
 */
export const findPhoneNumbers: Finder = (text, language) => {
  const countries = countriesOf(language);
  const found: Finding[] = [];
  for (const country of countries) {
    for (const { startsAt, endsAt } of findPhoneNumbersInText(text, country)) {
      const written = text.slice(startsAt, endsAt);
      const isOfCode = /[\p{L}\d][-/]$/u.test(text.slice(Math.max(0, startsAt - 3), startsAt));
      if (/^\(?[0+]/.test(written) && !isOfCode && !isSomethingElse(written)) {
        // In "(070-123 45 67)" the bracket belongs to the sentence, in "(08) 123" to the number.
        const isInBrackets = /^\([^)]*(?:\(\d+\)[^)]*)*$/.test(written);
        const start = isInBrackets ? startsAt + 1 : startsAt;
        found.push({ start, end: endsAt, kind: 'telefonnummer' });
      }
    }
  }
  for (const match of text.matchAll(NORTH_AMERICAN)) {
    if (parsePhoneNumberFromString(match[0], 'US')?.isValid()) {
      const end = match.index + match[0].length;
      found.push({ start: match.index, end, kind: 'telefonnummer' });
    }
  }
  found.push(...findReadOut(text, countries));
  return withoutOverlaps(found);
};

/** With the 0 or the country in front; no country's plan has more. */
const READ_OUT_DIGITS: DigitCounts = new Set([8, 9, 10, 11, 12, 13, 14, 15, 16, 17]);

/** Numbers read out: words, or digits with something after each. */
function findReadOut(text: string, countries: readonly CountryCode[]): readonly Finding[] {
  return findInRuns(text, READ_OUT_DIGITS, (digits, part, { before }) => {
    const hasPlus = /(?:\+|\bplus)\s*$/i.test(before);
    if (!isReadOut(part) || !(hasPlus || digits.startsWith('0'))) return null;
    if (isSomethingElse(digits)) return null;
    const number = hasPlus ? `+${digits}` : digits;
    const isValid = countries.some((country) =>
      parsePhoneNumberFromString(number, country)?.isValid(),
    );
    return isValid ? 'telefonnummer' : null;
  });
}

function isReadOut(part: DigitRun): boolean {
  return part.some(({ isSpoken }) => isSpoken) || part.every(({ digits }) => digits.length === 1);
}

/** What fits a country's plan and is none: a date, ones and zeros, a series, somebody counting. */
function isSomethingElse(written: string): boolean {
  const digits = written.replaceAll(/\D/g, '');
  const isDate = /^[0-3]\d[ ./-][01]\d[ ./-](?:19|20)\d\d$/.test(written);
  // No area code is as long: six digits and four are a personnummer heard wrong, or an order.
  const isSixAndFour = /^\d{6}\s?[-–]\s?\d{4}$/.test(written);
  const areHours = /^[0-2]\d[.:][0-5]\d\s?[-–]\s?[0-2]\d[.:][0-5]\d$/.test(written);
  return (
    isDate ||
    areHours ||
    isSixAndFour ||
    isSeries(written) ||
    new Set(digits).size < 3 ||
    '01234567890123456789'.includes(digits)
  );
}

/** "07 08 09 10 11": each number one more than the one before. */
function isSeries(written: string): boolean {
  const numbers = (written.match(/\d+/g) ?? []).map(Number);
  return numbers.length > 3 && numbers.every((value, at) => value === (numbers[0] ?? 0) + at);
}

/** In order; of two that overlap the one that begins first, or is longer, stays. */
function withoutOverlaps(findings: readonly Finding[]): readonly Finding[] {
  const kept: Finding[] = [];
  for (const finding of findings.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (finding.start >= (kept.at(-1)?.end ?? 0)) kept.push(finding);
  }
  return kept;
}
