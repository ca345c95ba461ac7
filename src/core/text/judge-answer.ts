import { collapseLoops } from './collapse-loops.ts';
import { inventionKindOf, isPlainSound, isSound, plainWords } from './inventions.ts';

/** One segment of an answer, with the engine's own figures. */
export type HeardSegment = {
  readonly text: string;
  /** 0 to 1: that nobody speaks. */
  readonly noSpeechProb?: number;
  /** The mean of the tokens' log probabilities, 0 at best. */
  readonly avgLogprob?: number;
};

/** The facts about the audio that an answer is for. */
export type AnswerEvidence = {
  /** The segments of the answer, in order. @default none */
  readonly segments?: readonly HeardSegment[];
  /** The speech in the audio, in ms. @default unknown */
  readonly speechMs?: number;
  /** The length of the audio, in ms. @default unknown */
  readonly durationMs?: number;
  /** The prompt that the engine was given, word for word. @default nothing */
  readonly prompt?: string;
  /** Somebody who knew more has judged it already. @default false */
  readonly isJudged?: boolean;
};

/** The part of an answer that stands. */
type Judgement = {
  /** Without what the engine invented. */
  readonly text: string;
  /** False where what was taken away may have stood for something that was said: keep the audio. */
  readonly isComplete: boolean;
  /** The prompt came back: ask again without it, and take this only if that fails. */
  readonly isPromptBack: boolean;
};

/**
 * Takes the words that nobody said out of an engine's answer: notes about sounds, the prompt come
 * back, one word for ever, and well-known inventions where little was to be heard. Invisible
 * characters go, too. A text without any of that comes out byte for byte. Linear time.
 */
export function judgeAnswer(answer: string, evidence: AnswerEvidence): Judgement {
  const noted = withoutNotes(cleaned(answer));
  const told = withoutPrompt(noted, evidence.prompt ?? '');
  const collapsed = collapseLoops(told, secondsOf(evidence));
  // Marks without end are all that is left of some engines that fail.
  const looped = collapsed === told || hasWord(collapsed) ? collapsed : '';
  const heard = withoutInvented(looped, evidence, looped !== told);
  const isTooMuch = heard.text.length > mostCharacters(evidence);
  const text = isTooMuch ? '' : heard.text;
  const isEmptied = text.trim() === '' && answer.trim() !== '';
  const isPromptBack = told !== noted;
  const isDoubtful =
    isTooMuch || looped !== told || heard.isDoubtful || (isEmptied && isOverSpeech(evidence));
  return { text, isComplete: !isDoubtful && !isPromptBack, isPromptBack };
}

// Not that of `blank-text`: this file is fetched by itself where a server has no such rule.
const hasWord = (text: string) => /[\p{L}\p{N}]/u.test(text);

/** More speech than this has words in it. */
const WORDLESS_SPEECH_MS = 1_000;

/** True if audio that sounds like speech has no words in the answer. */
function isOverSpeech({ speechMs = 0, segments = [] }: AnswerEvidence): boolean {
  return speechMs > WORDLESS_SPEECH_MS && !isWeak(figuresOf(segments));
}

const secondsOf = ({ durationMs }: AnswerEvidence) =>
  durationMs === undefined ? Number.POSITIVE_INFINITY : durationMs / 1_000;

/** Twice as fast as anybody reads aloud, and a sentence: what is more was not said. */
const MAX_CHARACTERS_A_SECOND = 45;
const SPARE_CHARACTERS = 400;

function mostCharacters(evidence: AnswerEvidence): number {
  return SPARE_CHARACTERS + MAX_CHARACTERS_A_SECOND * secondsOf(evidence);
}

// Characters that nobody can see.

/** Commands to a terminal. */
const ESCAPES = /(?![\t\n])\p{Cc}\[[0-9;]{0,12}[A-Za-z]/gu;
/** Line ends of other systems, and of typesetters. */
const LINE_ENDS = /\r\n?|[\u0085\u2028\u2029]/g;
/**
 * Control characters, halves of characters, what turns the writing round, and marks of no width;
 * not the joiners, which Persian and emoji need.
 */
const UNSEEN =
  /(?![\t\n])[\p{Cc}\p{Cs}\u00ad\u200b\u2060-\u2064\u202a-\u202e\u2066-\u206f\ufeff\ufff9-\ufffb\u{e0001}]/gu;
const BLANKS = /[\v\f]/g;
/** They have a meaning between Hebrew or Arabic and other letters only. */
const DIRECTION_MARKS = /[\u061c\u200e\u200f]/g;
const FROM_RIGHT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u;

function cleaned(text: string): string {
  const seen = text
    .replace(ESCAPES, '')
    .replace(LINE_ENDS, '\n')
    .replace(BLANKS, ' ')
    .replace(UNSEEN, '');
  return FROM_RIGHT.test(seen) ? seen : seen.replace(DIRECTION_MARKS, '');
}

// Notes about sounds.

const TOKENS =
  /\[\d\d:\d\d[\d:.,]{0,10} --> [\d:.,]{5,14}\]|\[unk\]|<\|[^|<>\n]{0,30}\|>|<\/?(?:unk|s|pad)>|\[_[A-Z]{1,8}_?\d{0,6}_?\]|\[(?:\s|&nbsp;){0,4}_{1,20}(?:\s|&nbsp;){0,4}\]/gi;
const SUNG = /[♩♪♫♬🎵🎶]+([^♩♪♫♬🎵🎶\n]{0,60})[♩♪♫♬🎵🎶]+/gu;
const SQUARE = /[[【{<]([^\][【】{}<>\n]{1,60})[\]】}>]/gu;
const STARRED = /(?<![\p{L}\p{N}])[*_]{1,2}([^*\n]{1,60}?)[*_]{1,2}(?![\p{L}\p{N}])/gu;
const ROUND = /[(（][^()（）\n]{1,60}[)）](?:\s{0,8}[(（][^()（）\n]{1,60}[)）]){0,20}/gu;

/** Where something was taken out, until the spaces around it are put right. */
const GAP = '\u0000';

/** The dash of a speaker who makes a noise. */
const BULLETS = new RegExp(`(^|\\n)[ \\t]{0,4}[-–—]{1,2}[ \\t]{0,4}(?=${GAP})`, 'g');

/** A whole text between marks of any kind. */
const FRAMED = /^\s*[-–—~«»"”]{1,2}([^-–—~«»"”\n]{1,60})[-–—~«»"”]{1,2}[\s.]*$/u;

function withoutNotes(text: string): string {
  const framed = FRAMED.exec(text)?.[1];
  if (framed !== undefined && isPlainSound(framed)) return '';
  const marked = text
    .replace(TOKENS, GAP)
    .replace(SUNG, (sung, inside: string) => (isSound(inside) ? GAP : sung))
    .replace(/[♩♪♫♬🎵🎶]+/gu, GAP)
    .replace(SQUARE, (note, inside: string) => (isSound(inside) ? GAP : note))
    .replace(STARRED, (note, inside: string) => (isSound(inside) ? GAP : note));
  const all = marked.replace(ROUND, (notes, at: number) =>
    areNotes(marked, notes, at) ? GAP : notes,
  );
  return all.includes(GAP) ? closed(all.replace(BULLETS, '$1')) : all;
}

/** In round brackets people put what they say, too: notes stand between sentences, or alone. */
function areNotes(text: string, notes: string, at: number): boolean {
  const insides = notes.split(/[()（）]/).filter((inside) => inside.trim() !== '');
  if (!insides.every(isSound)) return false;
  const before = text.slice(Math.max(0, at - 8), at);
  const after = text.slice(at + notes.length, at + notes.length + 8);
  const isFirst = before.trim() === '' || before.trimEnd().endsWith(GAP) || /\n\s*$/.test(before);
  const isLast = after.trim() === '' || after.trimStart().startsWith(GAP) || /^\s*\n/.test(after);
  if (isFirst && isLast) return true;
  if (!insides.every(isPlainSound)) return false;
  const isShouted = notes === notes.toUpperCase() && notes !== notes.toLowerCase();
  return isShouted || isFirst || /[.!?…]["”’»)]?\s*$/.test(before);
}

/** Somebody who made nothing but a noise. */
const SPEAKER_LABEL = /^(?:speaker|talare)(?: \p{L}| \d{1,3})?:$/iu;

/** The text with one space, or line break, in place of each gap; none before a mark or at an end. */
function closed(text: string): string {
  const pieces: string[] = [];
  let last = '';
  let spaces = '';
  for (const [at, part] of text.split(GAP).entries()) {
    const begins = part.trimStart();
    spaces += part.slice(0, part.length - begins.length);
    const inner = begins.trimEnd();
    // The full stop behind a note is the note's.
    const isOrphan = at > 0 && (last === '' || /[.!?…,;:]$/.test(last));
    const rest = isOrphan ? inner.replace(/^[.,;:!?]+\s*/, '') : inner;
    if (rest === '') continue;
    if (last !== '' && !/^[.,;:!?]/.test(rest)) pieces.push(spaces.includes('\n') ? '\n' : ' ');
    pieces.push(rest);
    last = rest;
    spaces = begins.slice(inner.length);
  }
  const whole = pieces.join('');
  return hasWord(whole) && !SPEAKER_LABEL.test(whole) ? whole : '';
}

// The prompt come back.

/** Fewer words in common are chance, and no engine reads more of a prompt. */
const LEAST_WORDS = 3;
const MOST_WORDS = 300;

type Word = { readonly key: string; readonly start: number; readonly end: number };

function wordsOf(text: string): readonly Word[] {
  return [...text.matchAll(/[^\s]+/g)].flatMap(({ 0: word, index }) => {
    const key = plainWords(word);
    return key === '' ? [] : [{ key, start: index, end: index + word.length }];
  });
}

/**
 * Removes words at an end of the text that are at the same end of the prompt, since engines repeat
 * it. If they were said all the same, they come again when the engine is asked without the prompt.
 */
function withoutPrompt(text: string, prompt: string): string {
  const told = wordsOf(prompt).map(({ key }) => key);
  const heard = wordsOf(text);
  if (told.length === 0 || heard.length === 0) return text;
  const keys = heard.map(({ key }) => key);
  if (keys.length <= told.length && isWithin(keys, told)) return '';
  const head = longestAt(keys, told, 'head');
  const tail = head < keys.length ? longestAt(keys.slice(head), told, 'tail') : 0;
  if (head + tail === 0) return text;
  const from = heard[head]?.start ?? text.length;
  const to = heard[keys.length - tail - 1]?.end ?? 0;
  return from >= to ? '' : text.slice(from, to);
}

function isWithin(keys: readonly string[], told: readonly string[]): boolean {
  if (keys.length < LEAST_WORDS && keys.length < told.length) return false;
  return ` ${told.join(' ')} `.includes(` ${keys.join(' ')} `);
}

/** The number of words at one end of the text that are the prompt, or its beginning or end. */
function longestAt(
  keys: readonly string[],
  told: readonly string[],
  where: 'head' | 'tail',
): number {
  const most = Math.min(keys.length, told.length, MOST_WORDS);
  const least = Math.min(LEAST_WORDS, told.length);
  for (let count = most; count >= least; count--) {
    const piece = (where === 'head' ? keys.slice(0, count) : keys.slice(-count)).join(' ');
    const isPrompt =
      piece === told.slice(0, count).join(' ') || piece === told.slice(-count).join(' ');
    if (isPrompt) return count;
  }
  return 0;
}

// Well-known inventions.

/** Whisper's own bounds, at which it takes its words back. */
const NO_SPEECH_PROB = 0.6;
const POOR_LOGPROB = -1;

type Figures = Omit<HeardSegment, 'text'>;

const isGiven = ({ noSpeechProb, avgLogprob }: Figures) =>
  noSpeechProb !== undefined || avgLogprob !== undefined;

function isWeak({ noSpeechProb = 0, avgLogprob = 0 }: Figures): boolean {
  return noSpeechProb >= NO_SPEECH_PROB || avgLogprob <= POOR_LOGPROB;
}

/** Those of a text of several segments: one that speech was heard in speaks for all. */
function figuresOf(segments: readonly HeardSegment[]): Figures {
  const probs = segments.flatMap(({ noSpeechProb }) => noSpeechProb ?? []);
  const logprobs = segments.flatMap(({ avgLogprob }) => avgLogprob ?? []);
  const mean = logprobs.reduce((sum, value) => sum + value, 0) / logprobs.length;
  return {
    ...(probs.length > 0 && { noSpeechProb: Math.min(...probs) }),
    ...(logprobs.length > 0 && { avgLogprob: mean }),
  };
}

type Heard = { readonly text: string; readonly isDoubtful: boolean };

function withoutInvented(text: string, evidence: AnswerEvidence, isLoop: boolean): Heard {
  const { segments = [] } = evidence;
  const whole = judgeInvention(text, figuresOf(segments), evidence, isLoop);
  if (whole !== null || segments.length < 2) return whole ?? { text, isDoubtful: false };
  // The end of a recording, or a pause in it: a segment of its own, with figures of its own.
  const texts = segments.map((segment) => withoutNotes(cleaned(segment.text)).trim());
  if (texts.filter((one) => one !== '').join(' ') !== text.replace(/\s+/g, ' ').trim()) {
    return { text, isDoubtful: false };
  }
  const kept = texts.filter((one, at) => {
    const segment = segments[at];
    const isInvented = inventionKindOf(one) !== null;
    return one !== '' && !(isInvented && segment !== undefined && isWeak(segment));
  });
  const isWhole = kept.length === texts.filter((one) => one !== '').length;
  return { text: isWhole ? text : kept.join(' '), isDoubtful: false };
}

/** "punkt", "comma". */
const LEAST_CHARACTERS = 5;

/** True if all of its words, in whatever order, were in the prompt. */
function isOfPrompt(text: string, prompt: string): boolean {
  if (prompt === '') return false;
  const told = new Set(wordsOf(prompt).map(({ key }) => key));
  return wordsOf(text).every(({ key }) => told.has(key));
}

/** Null where it may well have been said. */
function judgeInvention(
  text: string,
  figures: Figures,
  { speechMs, prompt = '', isJudged = false }: AnswerEvidence,
  isLoop: boolean,
): Heard | null {
  const kind = inventionKindOf(text) ?? (isOfPrompt(text, prompt) ? 'said-as-well' : null);
  if (kind === null) return null;
  // A mark is a word when it is said.
  const characters = plainWords(text).length || LEAST_CHARACTERS;
  const isTooShort =
    speechMs !== undefined && speechMs < (1_000 * characters) / MAX_CHARACTERS_A_SECOND;
  const hasFigures = isGiven(figures);
  if (hasFigures ? isWeak(figures) : isTooShort) return { text: '', isDoubtful: false };
  if (isLoop) return { text: '', isDoubtful: true };
  if (kind === 'said-as-well' || isJudged) return null;
  // Good figures, and speech enough: somebody dictates an end to a film.
  if (hasFigures && !isTooShort) return null;
  return { text: '', isDoubtful: true };
}
