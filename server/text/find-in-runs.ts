import { type DigitRun, digitsOf, findDigitRuns } from './digit-runs.ts';
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
  return findDigitRuns(text).flatMap((run) => findInRun(text, run, judge));
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
    const kind = judge(digits, part, before);
    if (kind === null) continue;
    return { finding: { start: first.start, end: last.end, kind }, next: to };
  }
  return null;
}
