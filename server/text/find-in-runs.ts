import { digitsOfWord, isTens } from './spoken-numbers.ts';

/** A written group of digits, or a word that stands for some. Positions are of the text. */
type DigitGroup = {
  readonly digits: string;
  readonly start: number;
  readonly end: number;
  readonly isSpoken: boolean;
};

/** Groups with nothing between them but what people write or say in a number. */
export type DigitRun = readonly DigitGroup[];

const TOKEN = /\d+|\p{L}+(?:-\p{L}+)*/gu;

/** Two groups have nothing between them but spaces, one mark, or a spoken "dash". */
const BETWEEN: ReadonlySet<string> = new Set(
  ' - – ‑ − . / + ( ) streck bindestreck minus dash hyphen'.split(' '),
);

/** "en" begins many a sentence that has a number further on, so a lone word is no run. */
const MIN_RUN_DIGITS = 6;

/**
 * Every run of a text with at least six digits in it, in order. "Sjuttio ett" is 70 1 to one
 * speaker and 71 to another: `joinsUnits` takes the second reading.
 */
function findDigitRuns(text: string, joinsUnits: boolean): readonly DigitRun[] {
  const groups = [...findDigitGroups(text)];
  const runs: DigitGroup[][] = [];
  for (const group of joinsUnits ? withUnitsJoined(text, groups) : groups) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    if (run !== undefined && last !== undefined && isOneNumber(text.slice(last.end, group.start))) {
      run.push(group);
    } else {
      runs.push([group]);
    }
  }
  return runs.filter((run) => digitsOf(run).length >= MIN_RUN_DIGITS);
}

/** The digits of a run, or of a part of one, without what stands between them. */
function digitsOf(run: DigitRun): string {
  return run.map(({ digits }) => digits).join('');
}

/** True if two groups with this between them may be one number; a comma alone is decimal, and a line break ends it. */
function isOneNumber(between: string): boolean {
  // No pattern of spaces, a mark and spaces: it tries each way to share long spaces out.
  const mark = between.trim().toLowerCase();
  if (between.includes('\n')) return false;
  return mark === ',' ? /,\s/.test(between) : BETWEEN.has(mark);
}

function* findDigitGroups(text: string): Generator<DigitGroup> {
  for (const match of text.matchAll(TOKEN)) {
    const [word] = match;
    const isSpoken = !/^\d/.test(word);
    const digits = isSpoken ? digitsOfWord(word) : word;
    if (digits === null) continue;
    yield { digits, start: match.index, end: match.index + word.length, isSpoken };
  }
}

/** "tjugo tre", "eighty five": two words for one number of two digits. */
function withUnitsJoined(text: string, groups: readonly DigitGroup[]): readonly DigitGroup[] {
  const joined: DigitGroup[] = [];
  for (const group of groups) {
    const last = joined.at(-1);
    const isUnit = group.isSpoken && /^[1-9]$/.test(group.digits);
    if (last === undefined || !isUnit || !/^\s+$/.test(text.slice(last.end, group.start))) {
      joined.push(group);
    } else if (isTens(text.slice(last.start, last.end))) {
      const digits = `${last.digits.charAt(0)}${group.digits}`;
      joined[joined.length - 1] = { ...last, digits, end: group.end };
    } else {
      joined.push(group);
    }
  }
  return joined;
}

/** The text around some digits. */
export type Surroundings = {
  readonly before: string;
  readonly after: string;
  /** True if the run goes on in the same way beyond them, as lists of numbers do. */
  readonly isOfList: boolean;
};

/** Says what the digits of `part` are, if they are anything. */
type Judge = (digits: string, part: DigitRun, around: Surroundings) => PersonalDataKind | null;

/** The distance within which a word such as "organisationsnummer" is looked for. */
const CONTEXT_CHARACTERS = 48;

/** The digits that a number may have. */
export type DigitCounts = ReadonlySet<number>;

/** Behind a group these make it an amount of its own: a dose, a share, a price, a time. */
const MEASURE = new RegExp(
  `^(?:[,.:/]\\d|\\s?[%‰°×]|\\s?[x*]\\s?\\d|:-|[\\s-]?(?:${[
    'mg|milligram|g|gram|hg|hekto|kg|kilo|kilogram|ug|µg|μg|mcg|mikrogram|ng|nanogram|ton',
    'ml|milliliter|cl|centiliter|dl|deciliter|l|liter|mm|millimeter|cm|centimeter|m|meter|km',
    'procent|promille|grader|mmhg|mmol|mol|nmol|pmol|mval|kpa|bar|slag|enheter|e|ie|iu|u',
    'tablett(?:er)?|tabl?|kaps(?:el|lar)?|droppar|sprutor?|puff(?:ar)?|doser|plåster|påsar?',
    'gång(?:er)?|ggr|st|stycken|personer|patienter|sidor|rader|rum|platser|poäng',
    'sekunder|sek|s|minuter|min|timmar|timme|tim|h|dygn|dagar?|dgr|veckor|vecka|v|månader|mån|år',
    'kronor|kr|sek|öre|euro|dollar|percent|per\\scent|degrees?|units?|milligrams?|grams?',
    'millilit(?:er|re)s?|lit(?:er|re)s?|tablets?|capsules?|drops|puffs?|doses?|times|pieces',
    'seconds?|minutes?|hours?|days?|weeks?|months?|years?|pounds|people|patients|pages|points',
  ].join('|')})(?![\\p{L}\\p{N}]))`,
  'iu',
);

/**
 * Asks `judge` about every part of every run that begins and ends with a group and has one of
 * `counts` digits, and gives those parts it knew that cover most digits together: where numbers of
 * different lengths stand in a row, the longest first would take a piece of the second along. A
 * last group with a measure behind it belongs to no number that can do without.
 */
export function findInRuns(text: string, counts: DigitCounts, judge: Judge): readonly Finding[] {
  const maxDigits = Math.max(...counts);
  return inBothReadings(text, (run) => findInRun(text, run, { counts, maxDigits, judge }));
}

type Search = {
  readonly counts: DigitCounts;
  readonly maxDigits: number;
  readonly judge: Judge;
};

/** Asks `judge` only about numbers that fill a whole run, one behind the other or alone. */
export function findWholeRuns(
  text: string,
  counts: DigitCounts,
  judge: (digits: string, part: DigitRun) => PersonalDataKind | null,
): readonly Finding[] {
  const maxDigits = Math.max(...counts);
  const kindOf = (run: DigitRun, from: number, to: number) => {
    const part = run.slice(from, to);
    return judge(digitsOf(part), part);
  };
  return inBothReadings(text, (run) => {
    const findings: Finding[] = [];
    let from = 0;
    while (from < run.length) {
      const ends = endsOfParts(run, from, { counts, maxDigits });
      const to = ends.find((end) => kindOf(run, from, end) !== null) ?? from;
      const [first, last, kind] = [run[from], run[to - 1], kindOf(run, from, to)];
      if (kind === null || first === undefined || last === undefined) break;
      findings.push({ start: first.start, end: last.end, kind });
      from = to;
    }
    const rest = run.slice(from);
    const goesOn = rest.length > 0 && areAlike(run.slice(Math.max(0, from - 1), from + 1));
    return goesOn || digitsOf(rest).length > MOST_BEHIND ? [] : findings;
  });
}

/** An amount behind the last number of a run, such as a price. */
const MOST_BEHIND = 3;

/**
 * Findings in the digit runs as written, and, where none is, in the runs with tens and units
 * joined.
 */
function inBothReadings(
  text: string,
  find: (run: DigitRun) => readonly Finding[],
): readonly Finding[] {
  const runs = (joinsUnits: boolean) =>
    findDigitRuns(text, joinsUnits).map((run) => withoutCode(text, run));
  const [apart, joined] = [runs(false), runs(true)];
  const plain = apart.flatMap(find);
  // Most texts have one reading only.
  const isOther = (run: DigitRun, at: number) => run.length !== apart[at]?.length;
  const others = apart.length === joined.length ? joined.filter(isOther) : joined;
  return merged(plain, others.flatMap(find));
}

/** All of `plain`, and what of `others` overlaps none of it; both in order, and the result too. */
function merged(plain: readonly Finding[], others: readonly Finding[]): readonly Finding[] {
  let at = 0;
  const isNew = ({ start, end }: Finding) => {
    while ((plain[at]?.end ?? Number.POSITIVE_INFINITY) <= start) at++;
    return end <= (plain[at]?.start ?? Number.POSITIVE_INFINITY);
  };
  return [...plain, ...others.filter(isNew)].sort((a, b) => a.start - b.start);
}

function findInRun(text: string, run: DigitRun, search: Search): readonly Finding[] {
  /** For each group the number that begins with it, if any, and the most digits from there on. */
  const best: { readonly found: Found | null; readonly digits: number }[] = [];
  const digitsFrom = (at: number) => best[at]?.digits ?? 0;
  for (let from = run.length - 1; from >= 0; from--) {
    let choice: (typeof best)[number] = { found: null, digits: digitsFrom(from + 1) };
    for (const found of findFrom(text, run, from, search)) {
      const digits = found.digits + digitsFrom(found.next);
      const isBetter = choice.found === null ? digits >= choice.digits : digits > choice.digits;
      if (isBetter) choice = { found, digits };
    }
    best[from] = choice;
  }
  const findings: Finding[] = [];
  for (let from = 0; from < run.length; ) {
    const found = best[from]?.found ?? null;
    if (found !== null) findings.push(found.finding);
    from = found?.next ?? from + 1;
  }
  return findings;
}

type Found = { readonly finding: Finding; readonly digits: number; readonly next: number };

/** The numbers that begin with the group `from`, the longest first. */
function findFrom(text: string, run: DigitRun, from: number, search: Search): readonly Found[] {
  const first = run[from];
  if (first === undefined) return [];
  const before = text.slice(Math.max(0, first.start - CONTEXT_CHARACTERS), first.start);
  const found = endsOfParts(run, from, search).flatMap((next) => {
    const part = run.slice(from, next);
    const { end } = part.at(-1) ?? first;
    if (isAcrossComma(text, part)) return [];
    const after = text.slice(end, end + CONTEXT_CHARACTERS);
    const isOfList = goesOnAlike(text, run, from, next);
    const digits = digitsOf(part);
    const kind = search.judge(digits, part, { before, after, isOfList });
    if (kind === null || cutsDate(text, first.start, end)) return [];
    const finding = { start: first.start, end, kind };
    return [{ finding, digits: digits.length, next, isMeasured: MEASURE.test(after) }];
  });
  const unmeasured = found.filter(({ isMeasured }) => !isMeasured);
  return unmeasured.length > 0 ? unmeasured : found;
}

const DATE = /(?<!\d)(?:(?:19|20)\d\d-[01]\d-[0-3]\d|[0-3]?\d([./])[01]?\d\1(?:19|20)\d\d)(?!\d)/g;
const DATE_CHARACTERS = 10;

/** True if a date lies in a number or across its ends; only a personnummer begins with one. */
function cutsDate(text: string, start: number, end: number): boolean {
  const from = Math.max(0, start - DATE_CHARACTERS);
  return [...text.slice(from, end + DATE_CHARACTERS).matchAll(DATE)].some(({ 0: date, index }) => {
    const [dateStart, dateEnd] = [from + index, from + index + date.length];
    const isApart = dateEnd <= start || dateStart >= end;
    return !isApart && !(dateStart === start && dateEnd < end && date.charAt(4) === '-');
  });
}

/** Behind which groups a part from `from` on has as many digits as wanted, the furthest first. */
function endsOfParts(
  run: DigitRun,
  from: number,
  { counts, maxDigits }: Omit<Search, 'judge'>,
): number[] {
  const ends: number[] = [];
  let count = 0;
  for (let at = from; at < run.length && count < maxDigits; at++) {
    count += run[at]?.digits.length ?? 0;
    if (counts.has(count)) ends.push(at + 1);
  }
  return ends.reverse();
}

/**
 * "DK67 5672", "A1234": digits that follow a capital directly go on what it began, up to a comma, a
 * full stop or what can only be a phone number.
 */
function withoutCode(text: string, run: DigitRun): DigitRun {
  if (!/\p{Lu}$/u.test(text.slice(0, run[0]?.start ?? 0).slice(-1))) return run;
  const begins = run.findIndex((group, at) => {
    const before = at === 0 ? '' : gap(text, run, at - 1);
    const isArea = /^0\d{1,3}$/.test(group.digits) && /[-/]/.test(gap(text, run, at));
    const isMobile = /^07[02369](?:\d{7})?$/.test(group.digits);
    return /[,+]|\.\s|\s\S\s/.test(before) || ((isArea || isMobile) && /^\s+$/.test(before));
  });
  return begins < 0 ? [] : run.slice(begins);
}

/** A comma or full stop between written groups ends a number, unless all are read out so. */
function isAcrossComma(text: string, part: DigitRun): boolean {
  if (part.some(({ isSpoken }) => isSpoken)) return false;
  const gaps = part.slice(1).map((_, at) => gap(text, part, at));
  const areSingle = part.every(({ digits }) => digits.length === 1);
  const isComma = (one: string) => one.includes(',');
  const isStop = (one: string) => /\.\s/.test(one);
  if (gaps.some(isStop)) return !(areSingle && gaps.every(isStop));
  // "070, 123 45 67": behind an area code people pause.
  const [first = '', ...others] = gaps;
  if (isComma(first) && /^0\d{1,3}$/.test(part[0]?.digits ?? '') && !others.some(isComma))
    return false;
  return gaps.some(isComma) && !gaps.every(isComma);
}

/** "1 2 3 4" and "4000 1234 5678" go on beyond the part in the same way. */
function goesOnAlike(text: string, run: DigitRun, from: number, to: number): boolean {
  const part = run.slice(from, to);
  if (part.length < 2 || !areAlike(part)) return false;
  const inner = gap(text, run, from);
  const goesOn = (at: number) => {
    const pair = run.slice(Math.max(0, at), at + 2);
    return pair.length === 2 && areAlike(pair) && gap(text, run, at) === inner;
  };
  return (from > 0 && goesOn(from - 1)) || goesOn(to - 1);
}

/** Written groups of one or two digits, or of the same length. */
function areAlike(groups: DigitRun): boolean {
  const length = groups[0]?.digits.length;
  const isWritten = groups.every(({ isSpoken }) => !isSpoken);
  const areShort = groups.every(({ digits }) => digits.length <= 2);
  return isWritten && (areShort || groups.every(({ digits }) => digits.length === length));
}

/** The text between a group and the next one. */
export function gap(text: string, run: DigitRun, at: number): string {
  return text.slice(run[at]?.end ?? 0, run[at + 1]?.start ?? 0);
}

/** A stretch of a text that says something about a person. */
export type Finding = {
  readonly start: number;
  readonly end: number;
  /** The word that takes its place, without the brackets. */
  readonly kind: PersonalDataKind;
};

/** The names of the placeholders, in Swedish as all that a user sees. */
export type PersonalDataKind =
  | 'personnummer'
  | 'samordningsnummer'
  | 'organisationsnummer'
  | 'iban'
  | 'kortnummer'
  | 'e-post'
  | 'telefonnummer';

/** Looks for one kind of number or address in a text; findings come in order and do not overlap. */
export type Finder = (text: string, language: string) => readonly Finding[];
