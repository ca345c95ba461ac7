import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import {
  type DigitCounts,
  type DigitRun,
  type Finder,
  type Finding,
  findInRuns,
  gap,
  type Surroundings,
} from './find-in-runs.ts';

/** Swedish numbers everywhere; in English texts British ones, too. */
const countriesOf = (language: string): readonly CountryCode[] =>
  language === 'en' ? ['SE', 'GB'] : ['SE'];

/** North American numbers begin with neither 0 nor +; only their own ways of writing are taken. */
const NORTH_AMERICAN = /(?<![\d-])(?:1[-. ])?(?:\(\d{3}\) ?|\d{3}[-.])\d{3}[-.]\d{4}(?![\d-])/g;

/** With the 0 or the country in front; no country's plan has more. */
const PHONE_DIGITS: DigitCounts = new Set([8, 9, 10, 11, 12, 13, 14, 15, 16, 17]);

/** Swedish numbers have at most nine digits behind the 0; what machines have is longer. */
const MAX_NATIONAL_DIGITS = 11;

const SAYS_PHONE =
  /(?:telefon|mobil|\btel\b|\btfn\b|\bfax|\bsms|\bring|\bnå[sr]?(?!\p{L})|\bnummer|\bnumret|\bväxel|\bphone|\bcall|\bcell\b|\bnumber|\breach)/iu;

/** "artikelnummer", "order no.": it says itself that what follows is something else. */
const SAYS_OTHER =
  /(?:artikel|art|order|beställnings|faktura|serie|ärende|referens|diarie|kolli|parti|batch|lot|konto|medlems|journal|kund|protokoll|vara?u?|recept|löp|post|item|part|invoice|serial|account|batch)[\s.-]{0,2}(?:nummer|numret|nr|no|number)\.?:?\s*(?:är\s|is\s)?\s*$/i;

/** A time of day is about to be said. */
const SAYS_TIME = /(?:\bkl\.?|\bklockan|\btid(?:en|er|erna)?|öppe[tn]\S*|\bmellan|\bat)[\s:]*$/i;

/**
 * Phone numbers that exist by their country's plan, written or read out. They must begin with 0 or
 * +: else dates and amounts would be taken for some.
 */
export const findPhoneNumbers: Finder = (text, language) => {
  const countries = countriesOf(language);
  const found = findInRuns(text, PHONE_DIGITS, (digits, part, around) => {
    const [first, last] = [part[0]?.start, part.at(-1)?.end];
    // A plus begins the next number.
    if (text.slice(first, last).includes('+')) return null;
    const hasPlus = /(?:\+|\bplus)\s*$/i.test(around.before);
    const isLikely = hasPlus
      ? isReadOut(part) || !isBehindCode(around.before, part)
      : isLikelyInside(text, digits, part, around, countries);
    if (!isLikely) return null;
    return existsIn(countries, hasPlus ? `+${digits}` : digits) ? 'telefonnummer' : null;
  }).map((finding) => withBeginning(text, finding));
  for (const { 0: written, index: start } of text.matchAll(NORTH_AMERICAN)) {
    if (!existsIn(['US'], written)) continue;
    found.push({ start, end: start + written.length, kind: 'telefonnummer' });
  }
  return withoutOverlaps(found);
};

function existsIn(countries: readonly CountryCode[], number: string): boolean {
  return countries.some((country) => parsePhoneNumberFromString(number, country)?.isValid());
}

/** True if a number of the country, without a plus, may stand here. */
function isLikelyInside(
  text: string,
  digits: string,
  part: DigitRun,
  around: Surroundings,
  countries: readonly CountryCode[],
): boolean {
  if (!digits.startsWith('0')) return false;
  if (!digits.startsWith('00') && digits.length > MAX_NATIONAL_DIGITS) return false;
  if (isReadOut(part)) return !around.isOfList && !isSomethingElse(digits);
  return beginsWell(part, countries) && isWrittenSo(text, part, around);
}

function isReadOut(part: DigitRun): boolean {
  return part.some(({ isSpoken }) => isSpoken) || part.every(({ digits }) => digits.length === 1);
}

/** True if groups of digits stand as those of phone numbers do, and not as dates, times or lists. */
function isWrittenSo(text: string, part: DigitRun, { before, isOfList }: Surroundings): boolean {
  if (isBehindCode(before, part)) return false;
  const [first, last] = [part[0], part.at(-1)];
  if (first === undefined || last === undefined) return false;
  const written = text.slice(first.start, last.end);
  const gaps = part.slice(1).map((_, at) => gap(text, part, at));
  const isSaid = SAYS_PHONE.test(before);
  const isAbroad = first.digits.startsWith('00');
  const isStrange = !isAbroad && part.some(({ digits }) => digits.length < 2);
  if (isStrange || isSomethingElse(written) || SAYS_OTHER.test(before)) return false;
  // A dash with spaces stands behind an area code, or between two numbers.
  if (gaps.slice(1).some((one) => /\s[-–‑−/]\s/.test(one))) return false;
  if (areTimes(part, gaps, isSaid && !SAYS_TIME.test(before))) return false;
  if (gaps.some((one) => one.includes(','))) {
    return !isOfList && (isSaid || /^07\d$/.test(first.digits));
  }
  if (isDigitBefore(before, written)) return false;
  if (isBlock(part) || hasAreaCode(part, gaps) || isSaid) return true;
  return !isOfList && isLikeOne(part, before);
}

/** With nothing but spaces in it and nobody saying what it is. */
function isLikeOne([area, second]: DigitRun, before: string): boolean {
  // Behind other digits and a space it goes on in an amount, or in a list.
  if (/\d\s$/.test(before)) return /^07\d/.test(area?.digits ?? '');
  return area?.digits !== '08' || (second?.digits.length ?? 0) >= 3;
}

/** Area codes in Sweden: two digits, three, else four; mobile numbers are cut behind three or four. */
const AREA =
  /^0(?:8|7\d{1,4}|(?:1[013689]|2[0136]|3[1356]|4[0246]|54|6[03]|90)|(?!8|7|1[013689]|2[0136]|3[1356]|4[0246]|54|6[03]|90)[1-9]\d\d)$/;
const BRITISH_AREA = /^0[1-9]\d{1,4}$/;

/** True if the first group is as long as the area code it begins with, or has all of it in it. */
function beginsWell(part: DigitRun, countries: readonly CountryCode[]): boolean {
  const area = part[0]?.digits ?? '';
  if (isBlock(part) || area.length > 6 || /^00[1-9]/.test(area)) return true;
  if (area === '07') return part.length === 5;
  return AREA.test(area) || (countries.includes('GB') && BRITISH_AREA.test(area));
}

/** All of it in one, as machines write it. */
function isBlock(part: DigitRun): boolean {
  return part.length === 1;
}

/** "070-", "(08) ", "031/": no list, date or amount has such a beginning. */
function hasAreaCode(part: DigitRun, [gapBehind = '']: readonly string[]): boolean {
  const area = part[0]?.digits ?? '';
  return area.length <= 5 && /[-–‑−/)]/.test(gapBehind);
}

/** "SO-0149", "A070", "1,070", "2024-01-15": letters or digits directly in front begin a code. */
function isBehindCode(before: string, part: DigitRun): boolean {
  if (/\p{L}$/u.test(before)) return !/\bplus$/i.test(before);
  return isBlock(part) && /(?:^|[^\p{L}\p{N}])[\p{Lu}\d]*\p{Lu}[\p{Lu}\d]*[-/]$/u.test(before);
}

/** A digit and a mark directly in front go on in it, unless a whole number has just ended. */
function isDigitBefore(before: string, written: string): boolean {
  if (!/\d[-–/.,:]$/.test(before)) return false;
  const digitsBefore = /[\d\s()-]{8,}\S{0,2}\s?$/.exec(before)?.[0].replaceAll(/\D/g, '') ?? '';
  return digitsBefore.length < 8 || /^\d\d[-./]\d\d(?:\D|$)/.test(written);
}

/** "08 12 16 20", "08-12 13-17", "0800-1600", "07.30-16.30": when something is taken or open. */
function areTimes(part: DigitRun, gaps: readonly string[], isPhone: boolean): boolean {
  const isClock = ({ digits }: DigitRun[number]) => /^(?:[01]\d|2[0-4])[0-5]\d$/.test(digits);
  if (part.length > 1 && part.every(isClock)) return true;
  return !isPhone && (areHours(part, gaps) || hasTime(part, gaps));
}

function areHours(part: DigitRun, gaps: readonly string[]): boolean {
  const isHour = ({ digits }: DigitRun[number]) => digits.length === 2 && Number(digits) <= 24;
  if (part.length < 2 || !part.every(isHour)) return false;
  const isRange = gaps.some((one, at) => at > 0 && /[-–/]/.test(one));
  return isRange || gaps.every((one) => /^\s+$/.test(one));
}

/** Two groups with a full stop between them and none beside it: a time, as Swedes write it. */
function hasTime(part: DigitRun, gaps: readonly string[]): boolean {
  return gaps.some((one, at) => {
    if (one !== '.' || gaps[at - 1] === '.' || gaps[at + 1] === '.') return false;
    const [hours = '', minutes = ''] = [part[at]?.digits, part[at + 1]?.digits];
    return /^(?:[01]\d|2[0-4])$/.test(hours) && /^[0-5]\d$/.test(minutes);
  });
}

/** These fit a country's plan and are no number: a date, ones and zeros, a series, somebody counting. */
function isSomethingElse(written: string): boolean {
  const digits = written.replaceAll(/\D/g, '');
  // Behind a date a time may follow.
  const isDate = /^[0-3]\d([ ./-])[01]\d\1(?:19|20)\d\d(?:\D|$)/.test(written);
  // No area code is as long: six digits and four are a personnummer heard wrong, or an order.
  const isSixAndFour = /^\d{6}\s?[-–\s]\s?\d{4}$/.test(written);
  return (
    isDate ||
    isFromTo(written) ||
    isSixAndFour ||
    isSeries(written) ||
    new Set(digits).size < 3 ||
    '01234567890123456789'.includes(digits)
  );
}

/** "08.00-16.30", "08-12 13-17": when something is open. */
function isFromTo(written: string): boolean {
  const clock = '(?:[01]\\d|2[0-4])[.:][0-5]\\d';
  if (new RegExp(`^${clock}\\s?[-–]\\s?${clock}$`).test(written)) return true;
  const hours = /^(\d\d)\s?[-–]\s?(\d\d)[\s/]+(\d\d)\s?[-–]\s?(\d\d)$/.exec(written);
  const [from = 24, to = 0, again = 24, last = 0] = (hours ?? []).slice(1).map(Number);
  return from < to && to <= again && again < last && last <= 24;
}

/** "07 08 09 10 11", "05 10 15 20 25": each number as much more than the one before. */
function isSeries(written: string): boolean {
  const numbers = (written.match(/\d+/g) ?? []).map(Number);
  const [first = 0, second = 0] = numbers;
  const step = second - first;
  return numbers.length > 3 && numbers.every((value, at) => value === first + at * step);
}

/** With the plus, and with the bracket where it is closed inside: that of "(08) 123", not of a sentence. */
function withBeginning(text: string, { start, end, kind }: Finding): Finding {
  const written = text.slice(start, end);
  const isClosedInside = /^[^(]*\)/.test(written);
  const from = Math.max(0, start - 3);
  const beginning = (isClosedInside ? /\(?\s?\+?\s?$/ : /\+?\s?$/).exec(text.slice(from, start));
  const taken = beginning?.[0].trimStart() ?? '';
  return { start: start - (/[+(]/.test(taken) ? taken.length : 0), end, kind };
}

/** In order; of two that overlap the one that begins first, or is longer, stays. */
function withoutOverlaps(findings: readonly Finding[]): readonly Finding[] {
  const kept: Finding[] = [];
  for (const finding of findings.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (finding.start >= (kept.at(-1)?.end ?? 0)) kept.push(finding);
  }
  return kept;
}
