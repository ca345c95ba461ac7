import { type DigitRun, digitsOf, findDigitRuns } from './digit-runs.ts';
import type { Finding, PersonalDataKind } from './personal-data.ts';

/** What stands around some digits. */
export type Surroundings = {
  readonly before: string;
  readonly after: string;
};

/** Says what the digits of `part` are, if they are anything. */
export type Judge = (
  digits: string,
  part: DigitRun,
  around: Surroundings,
) => PersonalDataKind | null;

/** How far away a word such as "organisationsnummer" is looked for. */
const CONTEXT_CHARACTERS = 48;

/** How many digits a number may have. */
export type DigitCounts = ReadonlySet<number>;

/**
 * Asks `judge` about every part of every run that begins and ends with a group and has one of
 * `counts` digits, the longest first, and gives the parts it knew.
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

/** Asks `judge` only about whole runs: numbers with no other digits beside them. */
export function findWholeRuns(
  text: string,
  judge: (digits: string) => PersonalDataKind | null,
): readonly Finding[] {
  return inBothReadings(text, (run) => {
    const [first, last] = [run[0], run.at(-1)];
    const kind = judge(digitsOf(run));
    if (kind === null || first === undefined || last === undefined) return [];
    return [{ start: first.start, end: last.end, kind }];
  });
}

/** What `find` finds in the runs as they stand, and elsewhere with tens and units joined. */
function inBothReadings(
  text: string,
  find: (run: DigitRun) => readonly Finding[],
): readonly Finding[] {
  const runs = (joinsUnits: boolean) =>
    findDigitRuns(text, joinsUnits).filter((run) => !isCode(text, run));
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
  const findings: Finding[] = [];
  for (let from = 0; from < run.length; ) {
    const found = findFrom(text, run, from, search);
    if (found === null) {
      from++;
      continue;
    }
    findings.push(found.finding);
    from = found.next;
  }
  return findings;
}

function findFrom(text: string, run: DigitRun, from: number, search: Search) {
  const first = run[from];
  if (first === undefined) return null;
  const before = text.slice(Math.max(0, first.start - CONTEXT_CHARACTERS), first.start);
  for (const to of endsOfParts(run, from, search)) {
    const part = run.slice(from, to);
    const last = part.at(-1) ?? first;
    const after = text.slice(last.end, last.end + CONTEXT_CHARACTERS);
    const kind = search.judge(digitsOf(part), part, { before, after });
    if (kind === null || isCutFromList(text, run, from, to)) continue;
    return { finding: { start: first.start, end: last.end, kind }, next: to };
  }
  return null;
}

/** Behind which groups a part from `from` on has as many digits as wanted, the furthest first. */
function endsOfParts(run: DigitRun, from: number, { counts, maxDigits }: Search): number[] {
  const ends: number[] = [];
  let count = 0;
  for (let at = from; at < run.length && count < maxDigits; at++) {
    count += run[at]?.digits.length ?? 0;
    if (counts.has(count)) ends.push(at + 1);
  }
  return ends.reverse();
}

/** "DK67 5672", "A1234": digits that follow a capital directly go on what it began. */
function isCode(text: string, run: DigitRun): boolean {
  return /\p{Lu}$/u.test(text.slice(0, run[0]?.start ?? 0).slice(-1));
}

/** "1 2 3 4" and "4000 1234 5678" go on beyond the part in the same way: then it is no number. */
function isCutFromList(text: string, run: DigitRun, from: number, to: number): boolean {
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
  return groups.every(
    ({ digits, isSpoken }) => !isSpoken && (digits.length <= 2 || digits.length === length),
  );
}

/** What stands between a group and the next one. */
function gap(text: string, run: DigitRun, at: number): string {
  return text.slice(run[at]?.end ?? 0, run[at + 1]?.start ?? 0);
}
