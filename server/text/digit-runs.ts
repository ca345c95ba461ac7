import { digitsOfWord, isTens } from './spoken-numbers.ts';

/** A written group of digits, or a word that stands for some. Positions are of the text. */
export type DigitGroup = {
  readonly digits: string;
  readonly start: number;
  readonly end: number;
  readonly isSpoken: boolean;
};

/** Groups with nothing between them but what people write or say in a number. */
export type DigitRun = readonly DigitGroup[];

const TOKEN = /\d+|\p{L}+(?:-\p{L}+)*/gu;

/** What may stand between two groups, beside spaces: nothing, one mark, or a spoken "dash". */
const BETWEEN: ReadonlySet<string> = new Set(
  ' - – ‑ − . / + ( ) streck bindestreck minus dash hyphen'.split(' '),
);

/** "en" begins many a sentence that has a number further on, so a lone word is no run. */
const MIN_RUN_DIGITS = 6;

/**
 * Every run of a text with at least six digits in it, in order. "Sjuttio ett" is 70 1 to one
 * speaker and 71 to another: `joinsUnits` takes the second reading.
 */
export function findDigitRuns(text: string, joinsUnits: boolean): readonly DigitRun[] {
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
export function digitsOf(run: DigitRun): string {
  return run.map(({ digits }) => digits).join('');
}

/** Whether two groups with this between them may be one number; a comma alone is decimal, and a line break ends it. */
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
