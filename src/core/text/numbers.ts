import {
  createNumberReader,
  LAST_WORD,
  type NumberReader,
  type NumberSaid,
  type Written,
} from './number-reader.ts';
import { createTimeWriter } from './number-times.ts';
import { NUMERALS } from './numerals.ts';
import { tokensOf } from './tokens.ts';

/**
 * Writes numbers as the language's writing rules have them: digits from thirteen on, with units,
 * percentages, money, decimals, dates, times and blood pressure, and telephone numbers. Small ones
 * stay words unless a digit is asked for ("siffra tolv"); numbers that can be read in two ways stay
 * as they were said. `language` is a code such as `sv` or `en-GB`. Linear time.
 */
export function writeNumbers(text: string, language: string): string {
  const code = language.slice(0, 2).toLowerCase();
  const numerals = NUMERALS[code];
  if (numerals === undefined) return text;
  const { tokens, end } = tokensOf(text);
  const writer = createWriter(createNumberReader(tokens, numerals, code));
  const pieces: string[] = [];
  let isChanged = false;
  for (let at = 0; at < tokens.length; ) {
    const written = writer.writtenAt(at);
    const next = written?.next ?? writer.skipped(at);
    if (written === null) {
      for (let same = at; same < next; same++) {
        const token = tokens[same];
        if (token) pieces.push(token.gap, token.said);
      }
    } else {
      isChanged = true;
      pieces.push(tokens[at]?.gap ?? '', written.text);
    }
    at = next;
  }
  return isChanged ? pieces.join('') + end : text;
}

/** A dose is given so many times a day at most. */
const MOST_PARTS = 8;

function createWriter(reader: NumberReader) {
  const { tokens, numerals, isEnglish, key, isJoined, valueAt, isOver, isArticle } = reader;
  const { digitValue, isDigitAt, runEnd, numberAt } = reader;
  const { decimal, units, months } = numerals;
  const times = createTimeWriter(reader);

  function writtenAt(at: number): Written | null {
    if (numerals.digit.has(key(at))) return askedFor(at);
    if (key(at) === 'version') return versionAt(at);
    if (/^(?:klockan|kl)$/.test(key(at))) return times.clockAt(at);
    if (isEnglish && months.has(key(at))) return times.monthAt(at);
    const ordinal = times.ordinalSaidAt(at);
    if (ordinal !== null) return times.ordinalAt(ordinal.value, ordinal.next);
    const said = isOhPoint(at) ? { value: 0, next: at + 1 } : numberAt(at);
    if (said === null || isDigits(at - 1, at) || isTitle(at) || isBehindPoint(at)) return null;
    return (
      decimalAt(said) ??
      pressureAt(at, said) ??
      sizeAt(at, said) ??
      valueOfTestAt(at, said) ??
      digitsAt(at) ??
      times.englishTimeAt(at, said) ??
      times.englishYearAt(at) ??
      sumAt(at, said) ??
      aloneAt(at, said)
    );
  }

  const aloneAt = (at: number, said: NumberSaid): Written | null =>
    isDosed(at, said) ? null : (rangeAt(at, said) ?? plainAt(at, said));

  /** Words of several numbers, where the last one may be the number of doses. */
  function isDosed(at: number, { next }: NumberSaid): boolean {
    const isSeveral = next > at + 1 && !/^(?:hundra|tusen|hundred|thousand)$/.test(key(next - 1));
    if (!isSeveral || !isJoined(next) || units.has(key(next))) return false;
    const isRate = key(next) === 'per' && /^minute?$/.test(key(next + 1));
    return !isRate && (isArticle(next - 1) || numerals.dosed.has(key(next)));
  }

  /** "ett plus noll plus ett", "vecka trettiosju plus fyra": a dose by the times of day, a week. */
  function sumAt(from: number, said: NumberSaid): Written | null {
    const parts = [said.value];
    let { next } = said;
    if (next > from + 1) return null;
    while (key(next) === 'plus' && isJoined(next) && isJoined(next + 1)) {
      if (parts.length === MOST_PARTS) return null;
      const part = numberAt(next + 1);
      if (part === null || part.next > next + 2 || part.next < runEnd(next + 1)) return null;
      parts.push(part.value);
      next = part.next;
    }
    const isWanted = parts.length > 2 || parts.some((part) => part > LAST_WORD);
    return parts.length > 1 && isWanted ? withUnit(parts.join('+'), next) : null;
  }

  /** "Oh point five". */
  const isOhPoint = (at: number): boolean =>
    isEnglish && key(at) === 'oh' && key(at + 1) === decimal.said;

  /** "Point five milligrams" are no five. */
  const isBehindPoint = (at: number): boolean =>
    isEnglish && isJoined(at) && key(at - 1) === decimal.said;

  /** Where to go on behind words that stay: a number of several words stays whole. */
  function skipped(at: number): number {
    const said = numberAt(at);
    const range = said === null ? null : rangeFrom(at, said);
    return Math.max(at + 1, runEnd(at), said?.next ?? 0, range?.high.next ?? 0);
  }

  /** "three by four centimeters", "tolv gånger femton gånger tio millimeter". */
  function sizeAt(from: number, said: NumberSaid): Written | null {
    const sides = [said.value];
    let { next } = said;
    while (/^(?:gånger|by)$/.test(key(next)) && isJoined(next) && isJoined(next + 1)) {
      const side = numberAt(next + 1);
      if (side === null || side.next < runEnd(next + 1)) return null;
      sides.push(side.value);
      next = side.next;
    }
    const symbol = isJoined(next) ? (units.get(key(next))?.symbol ?? '') : '';
    const isSize = sides.length > 1 && /^[cm]?m$/.test(symbol) && !isArticle(from);
    return isSize ? withUnit(sides.join(' × '), next) : null;
  }

  /** "CRP tolv", "VAS åtta av tio": the result of a test, behind its name. */
  function valueOfTestAt(at: number, { value, next }: NumberSaid): Written | null {
    const isTest =
      isJoined(at) && /^(?:\p{Lu}{2,}[\p{L}\p{N}]*|Hb)$/u.test(tokens[at - 1]?.said ?? '');
    if (!isTest || value > LAST_WORD || next < runEnd(at)) return null;
    const isOf = isJoined(next) && /^(?:av|of)$/.test(key(next)) && isJoined(next + 1);
    const most = isOf ? numberAt(next + 1) : null;
    const end = most?.next ?? next;
    if (isOf !== (most !== null) || (end < tokens.length && isJoined(end))) return null;
    const text = most === null ? String(value) : `${value} ${key(next)} ${most.value}`;
    return { text, next: end };
  }

  /** "version two point four", "version ett punkt noll punkt tre". */
  function versionAt(at: number): Written | null {
    const parts: number[] = [];
    let next = at + 1;
    for (; isJoined(next); next++) {
      const said = numberAt(next);
      if (said === null || said.next < runEnd(next)) break;
      parts.push(said.value);
      next = said.next;
      if (!isJoined(next) || !/^(?:punkt|point|dot)$/.test(key(next))) break;
    }
    if (parts.length < 2) return null;
    return { text: `${tokens[at]?.said ?? ''} ${parts.join('.')}`, next };
  }

  /** "ten to fifteen": two numbers that are written alike. */
  function rangeFrom(at: number, low: NumberSaid) {
    const { next } = low;
    const isTo = isJoined(next) && isJoined(next + 1) && numerals.to.has(key(next));
    const isBetween = key(next) === numerals.and && /^(?:mellan|between)$/.test(key(at - 1));
    if (!isTo && !(isBetween && isJoined(next) && isJoined(next + 1))) return null;
    const high = isArticle(next + 1) ? null : numberAt(next + 1);
    return high && low.next >= runEnd(at) && high.next >= runEnd(next + 1) ? { low, high } : null;
  }

  function rangeAt(at: number, said: NumberSaid): Written | null {
    const range = rangeFrom(at, said);
    if (range === null || isArticle(at)) return null;
    const { low, high } = range;
    // "Twenty to three" is a time.
    const isClock = isEnglish && high.value <= LAST_WORD && low.value > high.value;
    const isWanted =
      isMeasured(high.value, high.next) || (high.value > LAST_WORD && !isIdiom(at, low.next));
    if (isClock || !isWanted || low.value >= high.value) return null;
    const to = tokens[low.next]?.said ?? '';
    const { text, next } = withUnit(grouped(high.value), high.next);
    const isMoney = text.startsWith('$') || text.startsWith('€');
    const front = isMoney ? text.charAt(0) : '';
    return { text: `${front}${grouped(low.value)} ${to} ${text}`, next };
  }

  /** A capital within a sentence: a name for something. */
  function isTitle(at: number): boolean {
    const { said = '', gap = '' } = tokens[at] ?? {};
    return at > 0 && /^\p{Lu}/u.test(said) && !/[.!?…:\n”"(]/.test(gap);
  }

  /** True if the recogniser wrote digits beside the number: it is half in digits already. */
  function isDigits(at: number, gap: number): boolean {
    return at >= 0 && /^\d/.test(key(at)) && (gap >= tokens.length || isJoined(gap));
  }

  /** "siffra tolv". */
  function askedFor(at: number): Written | null {
    const said = isJoined(at + 1) ? numberAt(at + 1) : null;
    if (said === null || said.next < runEnd(at + 1)) return null;
    return { text: String(said.value), next: said.next };
  }

  /** "noll komma fem", with its unit. */
  function decimalAt({ value, next }: NumberSaid): Written | null {
    if (key(next) !== decimal.said || !isJoined(next) || !isJoined(next + 1)) return null;
    let at = next + 1;
    let decimals = '';
    if (isDigitAt(at)) {
      for (; isDigitAt(at) && isJoined(at); at++) decimals += digitValue(at);
    } else {
      const said = numberAt(at);
      if (said === null || said.value > 99) return null;
      decimals = String(said.value);
      at = said.next;
    }
    if (at < tokens.length && isJoined(at) && valueAt(at) !== null) return null;
    return withUnit(`${grouped(value)}${decimal.mark}${decimals}`, at);
  }

  /** "hundratjugo genom åttio", "one twenty over eighty". */
  function pressureAt(from: number, said: NumberSaid): Written | null {
    let { value, next } = said;
    const rest = isEnglish && said.value < 3 && isJoined(next) ? numberAt(next) : null;
    if (rest !== null && rest.value >= 10 && rest.value < 100) {
      value = value * 100 + rest.value;
      next = rest.next;
    }
    if (!numerals.over.has(key(next)) || !isJoined(next) || !isJoined(next + 1)) return null;
    const low = numberAt(next + 1);
    if (low === null || low.next < runEnd(next + 1) || next < runEnd(from)) return null;
    const isPressure = value >= 60 && value <= 260 && low.value >= 30 && low.value < value;
    return isPressure ? { text: `${value}/${low.value}`, next: low.next } : null;
  }

  /** Digits that are read out: four or more, or pairs behind a zero. */
  function digitsAt(from: number): Written | null {
    if (/^(?:sista|första|last|first)$/.test(key(from - 1))) return countAt(from);
    const end = digitsEnd(from);
    const values = tokens.slice(from, end).map((_, nth) => digitValue(from + nth));
    const digits = values.join('');
    const isPhone = digits.startsWith('0') && digits.length >= 7 && digits.length <= 10;
    const isPaired = values.some((value) => value > 9);
    if (isPaired ? !isPhone : values.length < 4) return null;
    if (isJoined(end) && valueAt(end) !== null) return null;
    // "Tre fyra fem sex tabletter" are so many or so many.
    if (values.length < 7 && !isOver(end)) return null;
    return { text: isEnglish ? americanPhone(digits) : swedishPhone(digits), next: end };
  }

  /** "De sista fyra ett två tre fyra": so many, and then which. */
  function countAt(at: number): Written | null {
    const isCount = digitsEnd(at + 1) > at + 2;
    return isCount ? { text: tokens[at]?.said ?? '', next: at + 1 } : null;
  }

  function digitsEnd(from: number): number {
    let at = from;
    while (digitValue(at) <= 99 && (at === from || isJoined(at))) at++;
    return at;
  }

  /** A number by itself, or with its unit. */
  function plainAt(at: number, said: NumberSaid): Written | null {
    const { value, next } = said;
    if (next < runEnd(at) || isDigits(next, next)) return null;
    // "tjugo i åtta", "kvart över".
    const isClock = /^(?:i|över|to|past)$/.test(key(next)) && (valueAt(next + 1) ?? 99) <= 12;
    if (isClock) return null;
    if (isMeasured(value, next)) return withUnit(grouped(value), next);
    return value <= LAST_WORD || isIdiom(at, next) ? null : { text: grouped(value), next };
  }

  /** True if the word there is a unit that wants digits in front of it. */
  function isMeasured(value: number, at: number): boolean {
    const unit = isJoined(at) ? units.get(key(at)) : undefined;
    if (unit === undefined) return false;
    // "ett gram" may be an article; "ett milligram" is a dose.
    if (value === 1) return unit.isDose && /^[mµc]/.test(unit.symbol ?? '');
    return value > LAST_WORD || !/^(?:miljo|miljar|million|billion)/.test(key(at));
  }

  function isIdiom(at: number, next: number): boolean {
    const isOneWord = next === at + 1;
    if (isOneWord && /^(?:hundra|tusen|hundred|thousand)$/.test(key(at))) return true;
    // "Fy sjutton", "för sjutton!".
    const isOath = /^(?:fy|å|för|vad)$/.test(key(at - 1)) || /^(?:gubbar|också)$/.test(key(next));
    if (key(at) === 'sjutton' && isOath && !/^(?:år|dagar|timmar|veckor)$/.test(key(next)))
      return true;
    // English sentences begin with words.
    const gap = tokens[at]?.gap ?? '';
    return isEnglish && (at === 0 || /[.!?\n]/.test(gap));
  }

  function withUnit(number: string, at: number): Written {
    const unit = at < tokens.length && isJoined(at) ? units.get(key(at)) : undefined;
    if (unit === undefined) return { text: number, next: at };
    if (unit.isInFront) return { text: `${unit.symbol}${number}`, next: at + 1 };
    const per = isJoined(at + 1) && isJoined(at + 2) && key(at + 1) === 'per';
    const over = per && unit.symbol !== null ? numerals.measures.get(key(at + 2)) : undefined;
    const symbol = unit.symbol ?? tokens[at]?.said ?? '';
    if (over === undefined) return { text: `${number} ${symbol}`, next: at + 1 };
    return { text: `${number} ${symbol}/${over}`, next: at + 3 };
  }

  /** Five digits and more in groups of three. */
  function grouped(value: number): string {
    const digits = String(value);
    return digits.length < 5 ? digits : digits.replace(/\B(?=(?:\d{3})+$)/g, numerals.separator);
  }

  return { writtenAt, skipped };
}

function swedishPhone(digits: string): string {
  const mobile = /^(07\d)(\d{3})(\d\d)(\d\d)$/.exec(digits);
  if (mobile) return `${mobile[1]}-${mobile[2]} ${mobile[3]} ${mobile[4]}`;
  const stockholm = /^(08)(\d{2,3})(\d{2,3})(\d\d)$/.exec(digits);
  if (stockholm && digits.length > 7) {
    return `${stockholm[1]}-${stockholm[2]} ${stockholm[3]} ${stockholm[4]}`;
  }
  return digits;
}

function americanPhone(digits: string): string {
  if (digits.length === 10) return digits.replace(/^(\d{3})(\d{3})/, '$1-$2-');
  return digits.length === 7 ? digits.replace(/^(\d{3})/, '$1-') : digits;
}
