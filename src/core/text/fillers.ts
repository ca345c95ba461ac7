import { type Token, tokensOf, withCapital, wordSet } from './tokens.ts';

/**
 * The fillers that are removed. `light`: sounds like "eh" and words repeated by mistake. `full`:
 * also hedges set apart by commas, and words broken off.
 */
export type FillerLevel = 'off' | 'light' | 'full';

type Lexicon = {
  /** No words of the language. */
  readonly sounds: RegExp;
  /** Never twice in a row on purpose. */
  readonly stutters: ReadonlySet<string>;
  /**
   * Twice is a mistake where a clause begins: at the end of one they may be meant ("den vi sätter på
   * på kvällen", "neither do I, I guess").
   */
  readonly openers: ReadonlySet<string>;
  /** Twice may be meant, three times is not. */
  readonly repeated: ReadonlySet<string>;
  /** Say nothing between commas. */
  readonly hedges: ReadonlySet<string>;
  /** A comma in front of these is wanted. */
  readonly conjunctions: ReadonlySet<string>;
  /** A clause begins behind these, with no mark between. */
  readonly joiners: ReadonlySet<string>;
};

const LEXICONS: Readonly<Record<string, Lexicon>> = {
  sv: {
    // "Öm" is a finding.
    sounds: /^(?:e+h+m*|ö+h+m*|h+m+|u+h+m*)$/,
    stutters: wordSet('och att eftersom'),
    openers: wordSet(
      'jag vi ni han hon i på av med för till som när om hos från vid ur mellan därför min din sin',
    ),
    repeated: wordSet(
      'det den de är var har kan ska vill skulle inte du man så då där här sen sedan men',
    ),
    hedges: wordSet('liksom alltså typ asså ba'),
    conjunctions: wordSet('men utan fast så eftersom vilket'),
    joiners: wordSet('och men att när om så eftersom utan fast medan'),
  },
  en: {
    sounds: /^(?:u+h+m*|u+m+|e+r+m+|h+m+|e+h+m+)$/,
    stutters: wordSet('and the an because into'),
    openers: wordSet('i we he she they to a of with for but from at if when my your his in on'),
    repeated: wordSet('that is was it this there had do so you not are as by or then'),
    hedges: wordSet('like'),
    conjunctions: wordSet('but so because although which who'),
    joiners: wordSet('and but that when if so because although while'),
  },
};

const HEDGES_OF_WORDS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  sv: [
    ['du', 'vet'],
    ['så', 'att', 'säga'],
    ['vad', 'heter', 'det'],
  ],
  en: [
    ['you', 'know'],
    ['i', 'mean'],
    ['sort', 'of'],
    ['kind', 'of'],
  ],
};

/** Punctuation that recognisers write for a pause, or between words that belong together. */
const PLAIN_GAP = /^[\s,.!?…;:–—-]*$/;
const SENTENCE_END = /[.!?…]/;

/**
 * Takes sounds and words out that nobody means to have written, and puts commas, blanks and the
 * capital right. `language` is a code such as `sv` or `en-GB`; of other languages nothing is known.
 * Without any of that the text comes out byte for byte; of nothing else, nothing. Linear time.
 */
export function withoutFillers(text: string, language: string, level: FillerLevel): string {
  const code = language.slice(0, 2).toLowerCase();
  const lexicon = LEXICONS[code];
  if (level === 'off' || lexicon === undefined) return text;
  const { tokens, end } = tokensOf(text);
  const cuts = new Set<number>();
  for (const at of tokens.keys()) {
    if (isSound(tokens, at, end, lexicon)) cuts.add(at);
    if (level === 'full') for (const cut of hedgeAt(tokens, at, end, code, lexicon)) cuts.add(cut);
    if (level === 'full' && isBrokenOff(tokens, at)) cuts.add(at);
  }
  for (const at of saidAnew(tokens, cuts, lexicon)) cuts.add(at);
  return cuts.size === 0 ? text : without(tokens, end, cuts, lexicon);
}

const gapAt = (tokens: readonly Token[], at: number, end: string): string =>
  at < tokens.length ? (tokens[at]?.gap ?? '') : end;

function isSound(tokens: readonly Token[], at: number, end: string, lexicon: Lexicon): boolean {
  const { said = '', key = '', gap = '' } = tokens[at] ?? {};
  // "EH" is an abbreviation, "Hm?" is a question.
  if (!lexicon.sounds.test(key) || said.slice(1) !== key.slice(1)) return false;
  // "Hon heter Ehm": a capital within a sentence is a name's.
  if (at > 0 && /^\p{Lu}/u.test(said) && /^[\s,]*$/.test(gap)) return false;
  return isPlain(tokens, at, at + 1, end);
}

/** True if punctuation stays correct when the words from `from` to `to` are removed. */
function isPlain(tokens: readonly Token[], from: number, to: number, end: string): boolean {
  const right = gapAt(tokens, to, end);
  if (right.trimStart().startsWith('?')) return false;
  return PLAIN_GAP.test(gapAt(tokens, from, end)) && PLAIN_GAP.test(right);
}

/** The words of a hedge that begins there between commas, or at a sentence's ends. */
function hedgeAt(
  tokens: readonly Token[],
  at: number,
  end: string,
  code: string,
  lexicon: Lexicon,
): readonly number[] {
  const key = tokens[at]?.key ?? '';
  const phrase = HEDGES_OF_WORDS[code]?.find((words) =>
    words.every((word, nth) => tokens[at + nth]?.key === word),
  );
  const length = lexicon.hedges.has(key) ? 1 : (phrase?.length ?? 0);
  if (length === 0 || !isPlain(tokens, at, at + length, end)) return [];
  const left = gapAt(tokens, at, end);
  const right = gapAt(tokens, at + length, end).trimStart();
  const isSetApart = left.trimEnd().endsWith(',')
    ? /^[,.]/.test(right)
    : (at === 0 || SENTENCE_END.test(left)) && right.startsWith(',');
  return isSetApart ? Array.from({ length }, (_, nth) => at + nth) : [];
}

/** "pa- patienten". */
function isBrokenOff(tokens: readonly Token[], at: number): boolean {
  const [word, next] = [tokens[at], tokens[at + 1]];
  if (word === undefined || next === undefined || !/^[-–—]+\s+$/.test(next.gap)) return false;
  return word.key.length <= 5 && next.key !== word.key && next.key.startsWith(word.key);
}

/** The words that were said before, just now, by mistake. */
function saidAnew(
  tokens: readonly Token[],
  cuts: ReadonlySet<number>,
  { stutters, openers, repeated, joiners }: Lexicon,
): readonly number[] {
  const found: number[] = [];
  let run: number[] = [];
  /** True if a clause begins with the run. */
  let isOpening = true;
  /** Punctuation and blanks between the last word that is not removed and this one. */
  let between = '';
  const conclude = (): void => {
    const key = tokens[run[0] ?? 0]?.key ?? '';
    const isTwice = stutters.has(key) || (isOpening && openers.has(key));
    const isThrice = openers.has(key) || repeated.has(key);
    if ((isTwice && run.length > 1) || (isThrice && run.length > 2)) found.push(...run.slice(1));
  };
  for (const [at, { key, gap }] of tokens.entries()) {
    between += gap;
    if (cuts.has(at)) continue;
    const last = run.at(-1);
    const lastKey = last === undefined ? '' : (tokens[last]?.key ?? '');
    // A filler removed between the two may have had commas around it.
    const isNear = /^[\s,…-]*$/.test(gap);
    if (last !== undefined && isNear && lastKey === key) run.push(at);
    else {
      conclude();
      run = [at];
      isOpening = last === undefined || joiners.has(lastKey) || /\S/.test(between);
    }
    between = '';
  }
  conclude();
  return found;
}

/** Words taken out: the gap in front of the first, and whether that had a capital. */
type Cut = { readonly gap: string; readonly isCapital: boolean };

function without(
  tokens: readonly Token[],
  end: string,
  cuts: ReadonlySet<number>,
  lexicon: Lexicon,
): string {
  const pieces: string[] = [];
  const open: Cut[] = [];
  for (const [at, token] of tokens.entries()) {
    const cut = open.pop();
    if (cuts.has(at)) open.push(grown(cut, token));
    else if (cut === undefined) pieces.push(token.gap, token.said);
    else pieces.push(behind(cut, token, pieces.length === 0, lexicon));
  }
  if (pieces.length === 0) return '';
  const [cut] = open;
  pieces.push(cut === undefined ? end : endOf(cut.gap, end));
  return pieces.join('');
}

function grown(cut: Cut | undefined, { gap, said }: Token): Cut {
  if (cut === undefined) return { gap, isCapital: /^\p{Lu}/u.test(said) };
  return { ...cut, gap: joined(cut.gap, gap, /,/.test(cut.gap)) };
}

/** A word behind words that were taken out. */
function behind(cut: Cut, { gap, said, key }: Token, isFirst: boolean, lexicon: Lexicon): string {
  const between = isFirst
    ? cut.gap.trimStart()
    : joined(cut.gap, gap, lexicon.conjunctions.has(key));
  const isBegun = isFirst || SENTENCE_END.test(between);
  return between + (isBegun && cut.isCapital ? withCapital(said) : said);
}

/** One gap for the two that meet; a comma stays where the next word wants one. */
function joined(left: string, right: string, wantsComma: boolean): string {
  const blank = /\n/.test(left + right) ? '\n' : ' ';
  if (SENTENCE_END.test(left)) return left;
  const mark = /[.!?…;:–—]/.exec(left + right)?.[0];
  if (mark !== undefined) return /[–—]/.test(mark) ? ` ${mark} ` : mark + blank;
  return wantsComma && /,/.test(left + right) ? `,${blank}` : blank;
}

/** The end of the text behind what was taken out. */
function endOf(left: string, end: string): string {
  if (SENTENCE_END.test(left)) return left.trimEnd();
  return end.replace(/^[\s,]+/, '');
}
