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

/** Longer parts than an IBAN's digits are never asked about. */
const MAX_DIGITS = 32;

/**
 * Asks `judge` about every part of every run that begins and ends with a group, the longest first, and
 * gives the parts it knew.
 */
export function findInRuns(text: string, judge: Judge): readonly Finding[] {
  return inBothReadings(text, (run) => findInRun(text, run, judge));
}

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

/** What `find` finds in the runs as they stand, and what it finds elsewhere with tens and units joined. */
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
  const isNew = ({ start, end }: Finding) =>
    plain.every((other) => end <= other.start || start >= other.end);
  const others = apart.length === joined.length ? joined.filter(isOther) : joined;
  return [...plain, ...others.flatMap(find).filter(isNew)].sort((a, b) => a.start - b.start);
}

function findInRun(text: string, run: DigitRun, judge: Judge): readonly Finding[] {
  const findings: Finding[] = [];
  for (let from = 0; from < run.length; ) {
    const found = findFrom(text, run, from, judge);
    if (found === null) {
      from++;
      continue;
    }
    findings.push(found.finding);
    from = found.next;
  }
  return findings;
}

function findFrom(text: string, run: DigitRun, from: number, judge: Judge) {
  const first = run[from];
  if (first === undefined) return null;
  const before = text.slice(Math.max(0, first.start - CONTEXT_CHARACTERS), first.start);
  for (let to = Math.min(run.length, from + MAX_DIGITS); to > from; to--) {
    const part = run.slice(from, to);
    const digits = digitsOf(part);
    const last = part.at(-1);
    if (digits.length > MAX_DIGITS || last === undefined) continue;
    if (isCutFromList(text, run, from, to)) continue;
    const after = text.slice(last.end, last.end + CONTEXT_CHARACTERS);
    const kind = judge(digits, part, { before, after });
    if (kind === null) continue;
    return { finding: { start: first.start, end: last.end, kind }, next: to };
  }
  return null;
}

/** "DK67 5672", "A1234": digits that follow a capital directly go on what it began. */
function isCode(text: string, run: DigitRun): boolean {
  return /\p{Lu}$/u.test(text.slice(0, run[0]?.start ?? 0).slice(-1));
}

/** "1 2 3 4" or "4000 1234 5678" goes on beyond the part in the same way: then the part is no number. */
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
