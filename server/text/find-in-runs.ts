import { type DigitGroup, type DigitRun, digitsOf, findDigitRuns } from './digit-runs.ts';
import type { Finding, PersonalDataKind } from './personal-data.ts';

/** Says what the digits of `part` are, if they are anything; `before` is the text in front of them. */
export type Judge = (digits: string, part: DigitRun, before: string) => PersonalDataKind | null;

/** How far back a word such as "organisationsnummer" is looked for. */
const CONTEXT_CHARACTERS = 48;

/** Longer parts than an IBAN's digits are never asked about. */
const MAX_DIGITS = 32;

/**
 * Asks `judge` about every part of every run that begins and ends with a group, the longest first, and
 * gives the parts it knew.
 */
export function findInRuns(text: string, judge: Judge): readonly Finding[] {
  const read = (joinsUnits: boolean) =>
    findDigitRuns(text, joinsUnits).flatMap((run) => findInRun(text, run, judge));
  const plain = read(false);
  const isNew = ({ start, end }: Finding) =>
    plain.every((other) => end <= other.start || start >= other.end);
  return [...plain, ...read(true).filter(isNew)].sort((a, b) => a.start - b.start);
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
    const kind = judge(digits, part, before);
    if (kind === null) continue;
    return { finding: { start: first.start, end: last.end, kind }, next: to };
  }
  return null;
}

/** A list such as "1 2 3 4" goes on beyond the part in the same way: then the part is no number. */
function isCutFromList(text: string, run: DigitRun, from: number, to: number): boolean {
  const part = run.slice(from, to);
  if (part.length < 2 || !part.every(isShort)) return false;
  const inner = gap(text, run, from);
  const isSame = (at: number) => {
    const [a, b] = [run[at], run[at + 1]];
    return (
      a !== undefined && b !== undefined && isShort(a) && isShort(b) && gap(text, run, at) === inner
    );
  };
  return isSame(from - 1) || isSame(to - 1);
}

function isShort({ digits, isSpoken }: DigitGroup): boolean {
  return !isSpoken && digits.length <= 2;
}

/** What stands between a group and the next one. */
function gap(text: string, run: DigitRun, at: number): string {
  return text.slice(run[at]?.end ?? 0, run[at + 1]?.start ?? 0);
}
