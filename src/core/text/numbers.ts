import { NUMERALS, type Numerals } from './numerals.ts';
import { type Token, tokensOf } from './tokens.ts';

/** Up to this, a number by itself is a word. */
const LAST_WORD = 12;

/** Behind "twenty-second" that is a day, a century and the like, and no pause of 20 s. */
const SECOND_OF = /^(?:of|century|floor|birthday|anniversary|street|avenue)$/;

/** What is written for some words: they end before `next`. */
type Written = { readonly text: string; readonly next: number };

/** A number of one word or several. */
type NumberSaid = { readonly value: number; readonly next: number };

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
  const writer = createWriter(tokens, numerals, code);
  const pieces: string[] = [];
  let isChanged = false;
  for (let at = 0; at < tokens.length; ) {
    const written = writer.writtenAt(at);
    const next = written?.next ?? writer.skipped(at);
    if (written === null) {
      for (const { gap, said } of tokens.slice(at, next)) pieces.push(gap, said);
    } else {
      isChanged = true;
      pieces.push(tokens[at]?.gap ?? '', written.text);
    }
    at = next;
  }
  return isChanged ? pieces.join('') + end : text;
}

function createWriter(tokens: readonly Token[], numerals: Numerals, code: string) {
  const { decimal, units, months, uncounted } = numerals;
  const isEnglish = code === 'en';
  const key = (at: number): string => tokens[at]?.key ?? '';
  /** Whether a word follows the one before with nothing but a blank between them. */
  const isJoined = (at: number): boolean => /^[ \u00a0]$/.test(tokens[at]?.gap ?? '');
  const valueAt = (at: number): number | null =>
    at < tokens.length ? numerals.valueOf(key(at)) : null;
  /** Whether nothing stands there that the number in front of it could count. */
  const isOver = (at: number): boolean => !isJoined(at) || uncounted.has(key(at));
  const isArticle = (at: number): boolean => !isEnglish && /^e(?:n|tt)$/.test(key(at));
  /** As where digits are read out; more than 99 for what is none. */
  const digitValue = (at: number): number =>
    isEnglish && key(at) === 'oh' ? 0 : (valueAt(at) ?? Number.POSITIVE_INFINITY);
  const isDigitAt = (at: number): boolean => digitValue(at) < 10;

  /** The end of the number words in a row that begin there; the start itself where none do. */
  function runEnd(from: number): number {
    if (valueAt(from) === null) return from;
    // An article is no part of the number behind it.
    if (isArticle(from) && !isDigitAt(from + 1)) return from + 1;
    let at = from + 1;
    while (at < tokens.length && isJoined(at) && valueAt(at) !== null) at++;
    return at;
  }

  /** The longest number that begins there: "hundra tjugo fem", "one hundred and five". */
  function numberAt(from: number): NumberSaid | null {
    const first = valueAt(from);
    if (first === null) return null;
    let value = first;
    let at = from + 1;
    for (; at < tokens.length && isJoined(at); at++) {
      const isAnd = key(at) === numerals.and && value >= 100 && value % 100 === 0;
      if (isAnd && isJoined(at + 1) && fits(value, valueAt(at + 1))) continue;
      const grown = joined(value, valueAt(at), key(at));
      if (grown === null) break;
      value = grown;
    }
    return { value, next: at };
  }

  function writtenAt(at: number): Written | null {
    if (numerals.digit.has(key(at))) return askedFor(at);
    if (key(at) === 'version') return versionAt(at);
    if (/^(?:klockan|kl)$/.test(key(at))) return clockAt(at);
    if (isEnglish && months.has(key(at))) return monthAt(at);
    const ordinal = ordinalSaidAt(at);
    if (ordinal !== null) return ordinalAt(ordinal.value, ordinal.next);
    const said = isOhPoint(at) ? { value: 0, next: at + 1 } : numberAt(at);
    if (said === null || isDigits(at - 1, at) || isTitle(at) || isBehindPoint(at)) return null;
    return (
      decimalAt(said) ??
      pressureAt(at, said) ??
      sizeAt(at, said) ??
      valueOfTestAt(at, said) ??
      digitsAt(at) ??
      englishTimeAt(at, said) ??
      englishYearAt(at) ??
      rangeAt(at, said) ??
      plainAt(at, said)
    );
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

  /** "fifth", "twenty-first", "twenty first", "tjugo andra mars". */
  function ordinalSaidAt(at: number, isDay = false): NumberSaid | null {
    const one = numerals.ordinalOf(key(at));
    const said = one === null ? ordinalInTwo(at) : { value: one, next: at + 1 };
    const isPause = isEnglish && said !== null && said.value > 20 && said.value % 10 === 2;
    if (!isPause || isDay) return said;
    return isJoined(said.next) && SECOND_OF.test(key(said.next)) ? said : null;
  }

  function ordinalInTwo(at: number): NumberSaid | null {
    const tens = isJoined(at + 1) ? (valueAt(at) ?? 0) : 0;
    const unit = tens >= 20 && tens < 100 && tens % 10 === 0 ? numerals.ordinalOf(key(at + 1)) : 0;
    // "Tjugo andra patienter" are others.
    const isWhole = isEnglish || (isJoined(at + 2) && months.has(key(at + 2)));
    return unit && unit < 10 && isWhole ? { value: tens + unit, next: at + 2 } : null;
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

  /** "in nineteen eighty-five", "in twenty twenty-six". */
  function englishYearAt(at: number): Written | null {
    if (!isEnglish || !/^(?:in|since|until|before|after|from|year)$/.test(key(at - 1))) return null;
    const year = isJoined(at) ? spokenYearAt(at) : null;
    // "In twenty thirty-minute sessions", "in nineteen fifty cases".
    return year !== null && isOver(year.next)
      ? { text: String(year.value), next: year.next }
      : null;
  }

  /** A century and what follows: 1700 to 2199. */
  function spokenYearAt(at: number): NumberSaid | null {
    const century = valueAt(at) ?? 0;
    const rest = isJoined(at + 1) ? numberAt(at + 1) : null;
    if (century < 17 || century > 21 || rest === null || rest.next < runEnd(at)) return null;
    const isTwoDigits = rest.value >= 10 && rest.value < 100;
    return isTwoDigits ? { value: century * 100 + rest.value, next: rest.next } : null;
  }

  /** A capital within a sentence: a name for something. */
  function isTitle(at: number): boolean {
    const { said = '', gap = '' } = tokens[at] ?? {};
    return at > 0 && /^\p{Lu}/u.test(said) && !/[.!?…:\n”"(]/.test(gap);
  }

  /** Whether digits stand beside: a number that was half written already. */
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

  /** "klockan fjorton trettio". */
  function clockAt(at: number): Written | null {
    const hour = isEnglish || !isJoined(at + 1) ? null : hourAt(at + 1);
    if (hour === null) return null;
    const { next } = hour;
    const clock = `${tokens[at]?.said ?? ''} ${hour.text}`;
    const more = hoursBehind(Number(hour.text), next);
    if (more !== null) return { text: clock + more.text, next: more.next };
    return minutesBehind(clock, at, next);
  }

  function minutesBehind(clock: string, at: number, next: number): Written | null {
    const isAnd = key(next) === numerals.and && valueAt(next + 1) !== null;
    const isMore = !isAnd && next < runEnd(at + 1);
    const minute = isAnd || isMore ? minuteBehind(next, isAnd) : null;
    if (minute !== null) {
      return { text: `${clock}.${String(minute.value).padStart(2, '0')}`, next: minute.next };
    }
    // "Klockan tio i åtta", "tjugo över sju".
    return isMore || /^(?:i|över|komma)$/.test(key(next)) ? null : { text: clock, next };
  }

  /** The minute behind an hour: "klockan åtta och tolv" are two times, "åtta tio enheter" a dose. */
  function minuteBehind(hour: number, isAnd: boolean): NumberSaid | null {
    const minute = minuteAt(isAnd ? hour + 1 : hour);
    // Nothing is counted by "noll noll".
    const isCount = minute !== null && valueAt(minute.next - 2) !== 0 && !isOver(minute.next);
    if (minute === null || isCount) return null;
    return isAnd && minute.value <= 24 ? null : minute;
  }

  /** ", tolv och tjugo" behind an hour. */
  function hoursBehind(hour: number, from: number): Written | null {
    let text = '';
    let next = from;
    let last = hour;
    for (let one = hourBehind(last, next); one !== null; one = hourBehind(last, next)) {
      text += one.text;
      next = one.next;
      last = one.value;
    }
    return text === '' ? null : { text, next };
  }

  /** A later hour: "och femton" may be minutes, too, and reads as either so. */
  function hourBehind(hour: number, at: number): (Written & NumberSaid) | null {
    const isAnd = isJoined(at) && key(at) === numerals.and;
    const first = isAnd ? at + 1 : at;
    if (!(isAnd ? isJoined(first) : tokens[at]?.gap === ', ')) return null;
    const said = numberAt(first);
    if (said === null || said.value <= hour || said.value > 24) return null;
    const { value, next } = said;
    // "Klockan åtta, tio tabletter".
    const isListed = !isJoined(next) || key(next) === numerals.and;
    if (next < runEnd(first) || !(isAnd || isListed)) return null;
    return { text: isAnd ? ` ${numerals.and} ${value}` : `, ${value}`, value, next };
  }

  /** "fjorton", "noll åtta". */
  function hourAt(at: number): Written | null {
    const isEarly = valueAt(at) === 0 && isJoined(at + 1) && isDigitAt(at + 1);
    const said = numberAt(isEarly ? at + 1 : at);
    if (said === null || said.value > 24) return null;
    return { text: `${isEarly ? 0 : ''}${said.value}`, next: said.next };
  }

  /** "trettio", "noll fem", "noll noll". */
  function minuteAt(at: number): NumberSaid | null {
    const isZero = valueAt(at) === 0;
    const said = numberAt(isZero ? at + 1 : at);
    if (said === null || said.next < runEnd(at)) return null;
    return said.value > (isZero ? 9 : 59) || (!isZero && said.value < 10) ? null : said;
  }

  /** "eight thirty p.m." */
  function englishTimeAt(at: number, said: NumberSaid): Written | null {
    const hour = valueAt(at);
    if (!isEnglish || hour === null || hour < 1 || hour > 12) return null;
    const isHalf = (next: number) => isJoined(next) && /^[ap]\.?m$/.test(key(next));
    const half = (next: number) => tokens[next]?.said ?? '';
    if (said.value === hour && isHalf(said.next)) {
      return { text: `${hour} ${half(said.next)}`, next: said.next + 1 };
    }
    const minute = isJoined(at + 1) ? numberAt(at + 1) : null;
    if (minute === null || minute.value < 10 || minute.value > 59 || !isHalf(minute.next))
      return null;
    return { text: `${hour}:${minute.value} ${half(minute.next)}`, next: minute.next + 1 };
  }

  /** "May fifth, twenty twenty-four". */
  function monthAt(at: number): Written | null {
    const day = isJoined(at + 1) ? ordinalSaidAt(at + 1, true) : null;
    if (day === null || day.value > 31) return null;
    // "She may second that."
    if (day.value < 3 && /^(?:may|march)$/.test(tokens[at]?.said ?? '')) return null;
    const { next } = day;
    const gap = tokens[next]?.gap ?? '';
    const year = /^,? $/.test(gap) ? (spokenYearAt(next) ?? yearAt(next)) : null;
    const text = `${tokens[at]?.said ?? ''} ${day.value}`;
    return year ? { text: `${text}${gap}${year.value}`, next: year.next } : { text, next };
  }

  function ordinalAt(value: number, next: number): Written | null {
    const isDay = value <= 31 && isJoined(next) && months.has(key(next));
    if (isDay && !isEnglish) {
      const year = isJoined(next + 1) ? yearAt(next + 1) : null;
      const month = tokens[next]?.said ?? '';
      if (year !== null) return { text: `${value} ${month} ${year.value}`, next: year.next };
      return { text: `${value} ${month}`, next: next + 1 };
    }
    const isOfMonth = value <= 31 && key(next) === 'of' && months.has(key(next + 1));
    if (isOfMonth || value > LAST_WORD) {
      return daysAt(value, next) ?? { text: numerals.writeOrdinal(value), next };
    }
    return daysAt(value, next);
  }

  /** "nittonde och tjugonde maj", "fifth to seventh of May". */
  function daysAt(value: number, at: number): Written | null {
    const isPair = isJoined(at) && (key(at) === numerals.and || numerals.to.has(key(at)));
    const other = isPair && isJoined(at + 1) ? ordinalSaidAt(at + 1) : null;
    const last = other === null ? null : ordinalAt(other.value, other.next);
    const isDay =
      last !== null && other !== null && months.has(key(isEnglish ? last.next + 1 : other.next));
    if (!isDay) return null;
    const first = isEnglish ? numerals.writeOrdinal(value) : String(value);
    return { text: `${first} ${key(at)} ${last.text}`, next: last.next };
  }

  function yearAt(at: number): NumberSaid | null {
    const said = numberAt(at);
    if (said !== null && said.value >= 1_000 && said.value < 2_200) return said;
    const rest = said?.value === 20 && isJoined(said.next) ? numberAt(said.next) : null;
    return rest !== null && rest.value > 9 && rest.value < 100
      ? { value: 2_000 + rest.value, next: rest.next }
      : null;
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

  /** Whether the word there is a unit that wants digits in front of it. */
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

/** Whether a number may follow hundreds or thousands. */
function fits(value: number, next: number | null): boolean {
  return next !== null && next > 0 && next < 100 && value % 100 === 0;
}

/** The number that two words make; null where they make none. */
function joined(value: number, next: number | null, word: string): number | null {
  if (next === null || next === 0 || value === 0) return null;
  if (word === 'hundra' || word === 'hundred') {
    const count = value % 1_000;
    // "Twelve hundred", as long as it is no round thousand.
    const isCount = count <= 9 || (count < 100 && value < 100 && count % 10 > 0);
    return count >= 1 && isCount ? value - count + count * 100 : null;
  }
  if (word === 'tusen' || word === 'thousand') return value < 1_000 ? value * 1_000 : null;
  const isTens = value % 10 === 0 && value % 100 >= 20;
  const room = [1_000, 100].find((step) => value % step === 0) ?? (isTens ? 10 : 0);
  return next < room ? value + next : null;
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
