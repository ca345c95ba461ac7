import type { WordTime } from '../word-time.ts';

/** A word, and where in the audio it was heard. */
export type HeardWord = WordTime & { readonly text: string };

/** A part of the audio, and what was heard in it. */
export type TimedPart = {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
  /** All of its words; absent where the engine tells no times of words. */
  readonly words?: readonly HeardWord[];
};

/** A run of characters without a space, and where it stands. */
type Token = { readonly key: string; readonly start: number; readonly end: number };

/** A word as it was heard, with the number of its part and, where the engine told it, its time. */
type HeardToken = {
  readonly key: string;
  readonly part: number;
  readonly word: HeardWord | null;
};

/** Words searched ahead for the next match. The rules change only a few words at a time. */
const LOOK_AHEAD = 24;
/** Matches farther apart may be a different occurrence of a common word such as "and". */
const NEAR = 3;
/** Words in a row that are hardly ever said twice. */
const PHRASE_WORDS = 3;

const keyOf = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/**
 * The parts of `text`, with the times at which their words were heard. The text rules have changed
 * `text` since and may have removed words that must stay hidden, so the answer holds only words of
 * `text`, never the engine's. A word that replaced others has their whole time span and no
 * certainty, except that a number in digits is as certain as the least certain of its words. Linear
 * time.
 */
export function timeText(text: string, parts: readonly TimedPart[]): readonly TimedPart[] {
  const tokens = tokensIn(text);
  const heard = parts.flatMap(heardTokens);
  if (tokens.length === 0 || heard.length === 0) return [];
  const matches = matchTokens(tokens, heard);
  const partOf = partsOf(matches, heard);
  const times = timesOf(tokens, matches, heard);
  const lastOf = new Map(partOf.map((part, at) => [part, at]));
  const firstOf = new Map(partOf.map((part, at) => [part, at] as const).reverse());
  return parts.flatMap((part, number): TimedPart[] => {
    const first = firstOf.get(number);
    if (first === undefined) return [];
    const last = lastOf.get(number) ?? first;
    const [from, to] = [tokens[first]?.start ?? 0, tokens[last]?.end ?? 0];
    const { startMs, endMs } = part;
    const plain = { text: text.slice(from, to), startMs, endMs };
    if (part.words === undefined) return [plain];
    const words = tokens.slice(first, last + 1).map((token, at) => ({
      text: text.slice(token.start, token.end),
      ...(times[first + at] ?? { startMs, endMs: startMs }),
    }));
    return [{ ...plain, words }];
  });
}

function tokensIn(text: string): readonly Token[] {
  return [...text.matchAll(/\S+/g)].map(({ 0: word, index }) => {
    return { key: keyOf(word), start: index, end: index + word.length };
  });
}

function heardTokens({ text, words }: TimedPart, part: number): HeardToken[] {
  if (words !== undefined) {
    return words.map((word) => ({ key: keyOf(word.text), part, word }));
  }
  return [...text.matchAll(/\S+/g)].map(({ 0: word }) => ({ key: keyOf(word), part, word: null }));
}

/** For each word of the text the number of the heard word that it is; null where it is another. */
function matchTokens(
  tokens: readonly Token[],
  heard: readonly HeardToken[],
): readonly (number | null)[] {
  const matches: (number | null)[] = [];
  const phraseFrom = phrasesOf(heard);
  let at = 0;
  while (matches.length < tokens.length) {
    const from = matches.length;
    const near = nextInBoth(tokens, from, heard, at);
    // A loop or a prompt that was taken out may be of any length.
    const phraseAt =
      near === null || near[0] + near[1] > NEAR ? phraseFrom(tokens, from, at) : null;
    const [skipped, behind] = phraseAt === null ? (near ?? [1, 1]) : [0, phraseAt - at];
    for (let count = 0; count < skipped && matches.length < tokens.length; count++) {
      matches.push(null);
    }
    at += behind;
    if (matches.length < tokens.length && tokens[matches.length]?.key === heard[at]?.key) {
      matches.push(at);
      at++;
    }
  }
  return matches;
}

type Keyed = { readonly key: string };

/** The words from `at` on as one key; behind the end there are marks of it. */
function phraseOf(words: readonly Keyed[], at: number): string {
  return Array.from({ length: PHRASE_WORDS }, (_, next) => words[at + next]?.key ?? '.').join(' ');
}

/** Finds where the words of a text were heard next; from call to call `at` only grows. */
function phrasesOf(heard: readonly HeardToken[]) {
  /** The last first. */
  const places = new Map<string, number[]>();
  for (let at = heard.length - 1; at >= 0; at--) {
    const phrase = phraseOf(heard, at);
    const known = places.get(phrase);
    if (known === undefined) places.set(phrase, [at]);
    else known.push(at);
  }
  return (tokens: readonly Token[], from: number, at: number): number | null => {
    const known = places.get(phraseOf(tokens, from)) ?? [];
    while ((known.at(-1) ?? at) < at) known.pop();
    return known.at(-1) ?? null;
  };
}

/** Words to skip in each list until both have the same word; null if none is near. */
function nextInBoth(
  tokens: readonly Token[],
  from: number,
  heard: readonly HeardToken[],
  at: number,
): readonly [number, number] | null {
  for (let distance = 0; distance <= LOOK_AHEAD; distance++) {
    for (let skipped = 0; skipped <= distance; skipped++) {
      const behind = distance - skipped;
      const key = tokens[from + skipped]?.key;
      if (key !== undefined && key !== '' && key === heard[at + behind]?.key) {
        return [skipped, behind];
      }
    }
  }
  return null;
}

/** The part of each word: that of the heard word it is, else that of the one before. */
function partsOf(
  matches: readonly (number | null)[],
  heard: readonly HeardToken[],
): readonly number[] {
  const firstMatch = matches.find((match) => match !== null);
  let part = heard[firstMatch ?? 0]?.part ?? 0;
  return matches.map((match) => {
    if (match !== null) part = heard[match]?.part ?? part;
    return part;
  });
}

/**
 * Where each word of `text` was heard, parted by white space: null where that is not known. `heard` is
 * as it was before rules changed it, with a time of null where the engine told none. Linear time.
 */
export function timesOfWords(
  text: string,
  heard: readonly { readonly text: string; readonly time: WordTime | null }[],
): readonly (WordTime | null)[] {
  const tokens = tokensIn(text);
  const words = heard.map(({ text: word, time }) => ({
    key: keyOf(word),
    part: 0,
    word: time && { ...time, text: word },
  }));
  const matches = matchTokens(tokens, words);
  return timesOf(tokens, matches, words);
}

/**
 * Where each word was heard. Those that were put in for others were heard where those were; null
 * where no time is known.
 */
function timesOf(
  tokens: readonly Token[],
  matches: readonly (number | null)[],
  heard: readonly HeardToken[],
): readonly (WordTime | null)[] {
  const times: (WordTime | null)[] = [];
  let before = -1;
  while (times.length < matches.length) {
    const match = matches[times.length] ?? null;
    if (match !== null) {
      times.push(timeOf(heard[match]?.word ?? null));
      before = match;
      continue;
    }
    let to = times.length;
    while (to < matches.length && (matches[to] ?? null) === null) to++;
    const others = heard.slice(before + 1, matches[to] ?? heard.length);
    const span = spanOf(others, heard[before]);
    const least = leastCertain(others);
    while (times.length < to) {
      const isNumber = /\d/.test(tokens[times.length]?.key ?? '');
      times.push(span && isNumber ? { ...span, ...least } : span);
    }
  }
  return times;
}

function timeOf(word: HeardWord | null): WordTime | null {
  if (word === null) return null;
  const { startMs, endMs, certainty } = word;
  return { startMs, endMs, ...(certainty !== undefined && { certainty }) };
}

/** From the first to the last of the words; a moment behind the one before where there is none. */
function spanOf(others: readonly HeardToken[], before: HeardToken | undefined): WordTime | null {
  const words = others.flatMap(({ word }) => word ?? []);
  const [first, last] = [words[0], words.at(-1)];
  if (first !== undefined && last !== undefined) {
    return { startMs: first.startMs, endMs: last.endMs };
  }
  const endMs = before?.word?.endMs;
  return endMs === undefined ? null : { startMs: endMs, endMs };
}

function leastCertain(others: readonly HeardToken[]): Pick<WordTime, 'certainty'> {
  const told = others.flatMap(({ word }) => word?.certainty ?? []);
  return told.length > 0 ? { certainty: Math.min(...told) } : {};
}
