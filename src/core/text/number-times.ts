import { LAST_WORD, type NumberReader, type NumberSaid, type Written } from './number-reader.ts';

/** Behind "twenty-second" that is a day, a century and the like, and no pause of 20 s. */
const SECOND_OF = /^(?:of|century|floor|birthday|anniversary|street|avenue)$/;

/** Writes ordinals, dates, years and times; each null where none begins that is to be written. */
export function createTimeWriter(reader: NumberReader) {
  const { tokens, numerals, isEnglish, key, isJoined, valueAt, isOver, isDigitAt } = reader;
  const { runEnd, numberAt } = reader;
  const { months } = numerals;

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

  return { ordinalSaidAt, ordinalAt, monthAt, clockAt, englishTimeAt, englishYearAt };
}
