import { plainWords } from './inventions.ts';

/** Faster than anybody speaks: then a few repetitions are a loop. */
const FAST_CHARACTERS_A_SECOND = 30;

/** The longest phrase that is looked for, in words. */
const MAX_WORDS = 40;

/** The longest piece inside of words, in characters, and how often it may come. */
const MAX_CHARACTERS = 20;
const MAX_SIGNS = 30;
const MAX_PIECES = 15;

const DIGIT =
  /^(?:\d+|noll|nolla|ett|en|etta|två|tvåa|tre|trea|fyra|fem|femma|sex|sexa|sju|sjua|åtta|nio|nia|zero|oh|o|one|two|three|four|five|six|seven|eight|nine)$/;

/** A run of equal phrases: where the second one begins, and where the last one ends. */
type Run = { readonly from: number; readonly to: number };

/**
 * One word or phrase for ever, as engines write it when they lose the thread, once: "nej nej nej"
 * stays, and so do zeros that are read out. A text that `seconds` are too few for is cut sooner.
 */
export function collapseLoops(text: string, seconds: number): string {
  const isFast = text.length > FAST_CHARACTERS_A_SECOND * seconds;
  return collapseSigns(collapseWords(text, isFast));
}

function collapseWords(text: string, isFast: boolean): string {
  let collapsed = text;
  let words = wordsOf(text);
  for (let period = 1; period <= Math.min(MAX_WORDS, words.length / 2); period++) {
    const keys = words.map(({ key }) => key);
    const most = (from: number) => mostTimes(keys.slice(from, from + period), isFast);
    const runs = runsOf(keys, period, most);
    if (runs.length === 0) continue;
    collapsed = without(
      collapsed,
      runs.map(({ from, to }) => ({
        from: words[from - 1]?.end ?? 0,
        to: words[to - 1]?.end ?? 0,
      })),
    );
    words = wordsOf(collapsed);
  }
  return collapsed;
}

/** The most times that a phrase may be said in a row. */
function mostTimes(phrase: readonly string[], isFast: boolean): number {
  const { length } = phrase;
  if (phrase.every((word) => DIGIT.test(word))) return Math.max(8, Math.ceil(30 / length));
  if (isFast) return length === 1 ? 5 : 3;
  if (length === 1) return 9;
  return length <= 3 ? 5 : 3;
}

/** Inside of words: "hahahaha", "ååååå", writing without spaces. */
function collapseSigns(text: string): string {
  let collapsed = text;
  let signs = text.split('');
  for (let period = 1; period <= MAX_CHARACTERS; period++) {
    const most = (from: number) => {
      // Spaces and lines to write on are no loop.
      if (/^[\s._=*–—-]*$/.test(collapsed.slice(from, from + period))) return signs.length;
      return period === 1 ? MAX_SIGNS : MAX_PIECES;
    };
    const runs = runsOf(signs, period, most);
    if (runs.length === 0) continue;
    collapsed = without(collapsed, runs);
    signs = collapsed.split('');
  }
  return collapsed;
}

function runsOf(
  keys: readonly string[],
  period: number,
  most: (from: number) => number,
): readonly Run[] {
  const runs: Run[] = [];
  let alike = 0;
  for (let at = period; at <= keys.length; at++) {
    if (at < keys.length && keys[at] === keys[at - period]) {
      alike++;
      continue;
    }
    const from = at - alike;
    if (alike >= period && alike / period + 1 > most(from - period)) runs.push({ from, to: at });
    alike = 0;
  }
  return runs;
}

function without(text: string, cuts: readonly Run[]): string {
  let left = '';
  let at = 0;
  for (const { from, to } of cuts) {
    left += text.slice(at, from);
    at = to;
  }
  return left + text.slice(at);
}

function wordsOf(text: string) {
  return [...text.matchAll(/\S+/g)].map(({ 0: word, index }) => ({
    key: plainWords(word) || word,
    end: index + word.length,
  }));
}
