import { isCommonWord } from './common-words.ts';
import { isNearKey, phoneticKey } from './phonetic-key.ts';
import { type Token, tokensOf, withCapital } from './tokens.ts';
import type { VocabularyEntry } from './vocabulary.ts';

/** Shorter words are not compared with entries. */
const MIN_LETTERS = 4;
/** Longer words are not compared either. */
const MAX_LETTERS = 60;
/** Stricter minimums: for a word in small letters to become a name, and for a near sound. */
const MIN_LETTERS_OF_NAME = 8;
const MIN_LETTERS_OF_FOREIGN_NAME = 6;
const MIN_LETTERS_NEAR = 7;
/** Share of letters that may differ where all sounds are the same: more would be another name. */
const MOST_CHANGED = 0.39;
/** The same for a word without a capital, or an entry broken into several words. */
const MOST_CHANGED_PLAIN = 0.34;
/** The same where one sound differs. */
const MOST_CHANGED_NEAR = 0.25;
/** Recognisers break an unknown word into at most this many more words. */
const MOST_PIECES_MORE = 2;

/** True for an ordinary word of the language, given in small letters. */
export type OrdinaryWords = (word: string) => boolean;

type Form = {
  readonly write: string;
  /** In small letters, without blanks. */
  readonly letters: string;
  readonly key: string;
  readonly words: number;
  /**
   * From `soundsLike`: the person says that the entry sounds like this, so an exact match is the
   * entry.
   */
  readonly isSound: boolean;
  readonly isName: boolean;
};

/** Words in a row that may be an entry. */
type Stretch = {
  readonly letters: string;
  readonly count: number;
  /** It has a capital where no sentence begins: the recogniser takes it for a name. */
  readonly isName: boolean;
  readonly isOrdinary: boolean;
};

/** A word of the text, and its properties that hold wherever it occurs. */
type Piece = {
  readonly letters: string;
  readonly isKnown: boolean;
  /** True if an entry may begin with this word. */
  readonly mayBegin: boolean;
  readonly isCapital: boolean;
  readonly isShouted: boolean;
  readonly isEntry: boolean;
};

/** The sound of letters, and the entries that may be meant by it. */
type Sound = {
  readonly key: string;
  readonly alike: readonly Form[];
  /** Those that differ by one sound; null until they are first asked for. */
  near: readonly Form[] | null;
};

const REMEMBERED = 20_000;

/**
 * Compiles a vocabulary into a rule: words that sound and look similar enough become the entry, as
 * it is written there. Ordinary words are never replaced: those of a small list, and of the
 * dictionary `isOrdinary` if there is one; without a dictionary the rule is stricter with names.
 * `language` is a code such as `sv`. Linear time.
 */
export function createWordCorrector(
  vocabulary: readonly VocabularyEntry[],
  language: string,
  isOrdinary?: OrdinaryWords,
) {
  const isEnglish = language.slice(0, 2).toLowerCase() === 'en';
  const forms = vocabulary.flatMap((entry) => formsOf(entry, isEnglish));
  const byKey = grouped(forms, ({ key }) => key);
  const byLetters = grouped(forms, ({ letters }) => letters);
  /** Entries by each key with one sound left out: finds those that differ by one sound. */
  const byGap = gapsOf(forms);
  const written = new Set(vocabulary.map(({ write }) => write));
  const mostWords = Math.max(0, ...forms.map(({ words }) => words));
  /** The first two sounds of each entry: a longer word with other ones begins no entry. */
  const beginnings = new Set(forms.map(({ key }) => key.slice(0, 2)));
  const sounds = new Map<string, Sound>();
  const pieces = new Map<string, Piece>();

  function soundOf(letters: string): Sound {
    const known = sounds.get(letters);
    if (known !== undefined) return known;
    if (sounds.size >= REMEMBERED) sounds.clear();
    const key = phoneticKey(letters, isEnglish);
    const sound = { key, alike: byKey.get(key) ?? [], near: null };
    sounds.set(letters, sound);
    return sound;
  }

  function pieceOf({ said, key }: Token): Piece {
    const known = pieces.get(said);
    if (known !== undefined) return known;
    if (pieces.size >= REMEMBERED) pieces.clear();
    const letters = lettersOf(key.replace(OWNER, ''));
    const piece: Piece = {
      letters,
      isKnown: isCommonWord(key, isEnglish) || isOrdinary?.(key) === true,
      mayBegin: letters.length <= 2 || beginnings.has(soundOf(letters.slice(0, 8)).key.slice(0, 2)),
      isCapital: /^\p{Lu}/u.test(said),
      isShouted: /^\p{Lu}{2,}$/u.test(said),
      isEntry: written.has(said),
    };
    pieces.set(said, piece);
    return piece;
  }

  /** The entry that the stretch is; null where it is none, or might be two. */
  function entryFor(stretch: Stretch): Form | null {
    const { letters, count } = stretch;
    const same = byLetters
      .get(letters)
      ?.find((form) => isSame(stretch, form, isOrdinary !== undefined));
    if (same !== undefined) return same;
    if (letters.length < MIN_LETTERS || stretch.isOrdinary) return null;
    const sound = soundOf(letters);
    const alike = sound.alike.filter((form) => isAlike(stretch, form));
    if (alike.length > 0 || count > 1) return nearest(letters, alike);
    if (letters.length < MIN_LETTERS_NEAR) return null;
    sound.near ??= nearForms(sound.key);
    return nearest(
      letters,
      sound.near.filter((form) => isNear(stretch, form)),
    );
  }

  function nearForms(key: string): readonly Form[] {
    const found = new Set<Form>();
    for (let at = 0; at < key.length; at++) {
      const gap = key.slice(0, at) + key.slice(at + 1);
      for (const form of byKey.get(gap) ?? []) found.add(form);
      for (const form of byGap.get(gap) ?? []) found.add(form);
    }
    for (const form of byGap.get(key) ?? []) found.add(form);
    return [...found].filter((form) => isNearKey(key, form.key));
  }

  return function correct(text: string): string {
    if (forms.length === 0) return text;
    const { tokens, end } = tokensOf(text);
    const pieces: string[] = [];
    let isChanged = false;
    for (let at = 0; at < tokens.length; ) {
      const token = tokens[at];
      if (token === undefined) break;
      // "MAIN" is shouted, or short for something.
      const { isShouted, isEntry } = pieceOf(token);
      const found = isShouted || isEntry ? null : longestAt(tokens, at);
      const write = found === null ? token.said : beginning(found.write, tokens, at);
      pieces.push(token.gap, write);
      isChanged ||= found !== null;
      at += found?.count ?? 1;
    }
    return isChanged ? pieces.join('') + end : text;
  };

  /** The longest entry that begins there. */
  function longestAt(tokens: readonly Token[], from: number) {
    const pieces = piecesAt(tokens, from);
    const isCapital = pieces[0]?.isCapital ?? false;
    const isName = isCapital && !isSentenceStart(tokens, from);
    for (let count = pieces.length; count > 0; count--) {
      const letters = lettersIn(pieces, count);
      // Nothing in the vocabulary is as long.
      if (letters.length > MAX_LETTERS) continue;
      const isOrdinary = (count === 1 || !isCapital) && areKnown(pieces, count);
      const stretch = { letters, count, isName, isOrdinary };
      const form = entryFor(stretch);
      const write = form ? form.write + ownerOf(tokens[from + count - 1]) : ownedBy(stretch);
      if (write !== null) return { write, count };
    }
    return null;
  }

  /** "Sjökvists": the name, and whose it is. */
  function ownedBy(stretch: Stretch): string | null {
    const { letters, count } = stretch;
    if (count > 1 || !/[^s]s$/.test(letters)) return null;
    const owner = entryFor({ ...stretch, letters: letters.slice(0, -1) });
    return owner && `${owner.write}s`;
  }

  /** The words in a row from there that may be one entry. */
  function piecesAt(tokens: readonly Token[], from: number): readonly Piece[] {
    const found: Piece[] = [];
    for (let at = from; at < from + mostWords + MOST_PIECES_MORE; at++) {
      const token = tokens[at];
      if (token === undefined) break;
      const piece = pieceOf(token);
      const isFirst = at === from;
      if (!isFirst && !/^[ \u00a0-]$/.test(token.gap)) break;
      // An entry by itself is no piece of another.
      if (!isFirst && byLetters.get(piece.letters)?.some(({ words }) => words === 1)) break;
      found.push(piece);
      if (isFirst && !piece.mayBegin) break;
    }
    return found;
  }
}

function lettersIn(pieces: readonly Piece[], count: number): string {
  let letters = '';
  for (let at = 0; at < count; at++) letters += pieces[at]?.letters ?? '';
  return letters;
}

function areKnown(pieces: readonly Piece[], count: number): boolean {
  for (let at = 0; at < count; at++) if (!pieces[at]?.isKnown) return false;
  return true;
}

/** True if a word may have its capital only because it begins a sentence. */
function isSentenceStart(tokens: readonly Token[], at: number): boolean {
  return at === 0 || /[.!?:\n”"(]/.test(tokens[at]?.gap ?? '');
}

/** An entry in small letters takes over the capital of its sentence's first word. */
function beginning(write: string, tokens: readonly Token[], at: number): string {
  const isCapital = /^\p{Lu}/u.test(tokens[at]?.said ?? '') && isSentenceStart(tokens, at);
  return isCapital && !/\p{Lu}/u.test(write) ? withCapital(write) : write;
}

function isSame(stretch: Stretch, form: Form, hasDictionary: boolean): boolean {
  // "på länge" is no name in two pieces.
  if (stretch.count !== form.words && !isAlike(stretch, form)) return false;
  // A word in small letters with a name's letters: without a dictionary it may well be a word.
  const isPlainName = /^\p{Lu}\p{Ll}+$/u.test(form.write) && !form.isSound;
  if (stretch.count === 1 && isPlainName && !hasDictionary) return stretch.isName;
  // "berg" is a hill; what somebody says that it sounds like is meant.
  return !stretch.isOrdinary || stretch.count > 1 || (form.isSound && !form.isName);
}

/**
 * True if words in small letters that sound like a name may become it: long ones, and others that
 * only spell its foreign letters as they sound, such as "furiks" and "elikvis".
 */
function mayBecomeName(letters: string, form: Form): boolean {
  if (letters.length >= MIN_LETTERS_OF_NAME) return true;
  const isLong = letters.length >= MIN_LETTERS_OF_FOREIGN_NAME;
  return isLong && letters !== form.letters && heard(letters) === heard(form.letters);
}

const AS_HEARD: readonly (readonly [string, string])[] = [
  ...([
    ['qu', 'kv'],
    ['q', 'k'],
    ['w', 'v'],
    ['x', 'ks'],
    ['z', 's'],
  ] as const),
  ...([
    ['y', 'i'],
    ['å', 'o'],
    ['é', 'e'],
  ] as const),
];

const heard = (letters: string): string =>
  AS_HEARD.reduce((text, [spelled, sound]) => text.replaceAll(spelled, sound), letters);

/** True if words that sound like the entry are also spelled similarly enough. */
function isAlike({ letters, count, isName }: Stretch, form: Form): boolean {
  const isWhole = count === form.words;
  // Recognisers write names with capitals, where they take them for names.
  if (form.isName && !isName && !(isWhole && mayBecomeName(letters, form))) return false;
  if (!isName && letters.length <= MIN_LETTERS) return false;
  if (!isWhole && letters.length < MIN_LETTERS_OF_NAME) return false;
  const most = isName && isWhole ? MOST_CHANGED : MOST_CHANGED_PLAIN;
  return distance(letters, form.letters) <= most * form.letters.length;
}

/**
 * The endings of medicines. Other words that differ by one sound may be another term of the same
 * kind: hyperkalcemi and hyperkalemi, abduktion and adduktion, another name.
 */
const MEDICINE =
  /(?:olol|pril|sartan|statin|pin|zol|zepam|zapin|cillin|m[yi]cin|oxacin|c[yk]+lin|triptan|tidin|setron|parin|mab|nib|vir|solon|lakton|lacton|semid|t?h?iazid|formin|gliptin|profen|cetamol|minophen|farin|pentin|pram|[oe]xetin|tralin|th?yroxin)e?$/;

const mayBeNear = ({ letters }: Form): boolean =>
  letters.length >= MIN_LETTERS_NEAR && MEDICINE.test(letters);

/** True if words that sound nearly like the entry, a medicine, may be the entry. */
function isNear({ letters }: Stretch, form: Form): boolean {
  return (
    mayBeNear(form) && distance(letters, form.letters) <= MOST_CHANGED_NEAR * form.letters.length
  );
}

function nearest(letters: string, forms: readonly Form[]): Form | null {
  if (forms.length === 0) return null;
  const ranked = forms
    .map((form) => ({ form, far: distance(letters, form.letters) }))
    .sort((a, b) => a.far - b.far);
  const [best, second] = ranked;
  if (best === undefined) return null;
  const isDoubtful = second !== undefined && second.far === best.far;
  return isDoubtful && second.form.write !== best.form.write ? null : best.form;
}

const lettersOf = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** The possessive ending. */
const OWNER = /['’]s$/;

const ownerOf = (token: Token | undefined): string => OWNER.exec(token?.said ?? '')?.[0] ?? '';

function formsOf({ write, soundsLike = [] }: VocabularyEntry, isEnglish: boolean): Form[] {
  const isName = /\p{Lu}/u.test(write);
  return [write, ...soundsLike].flatMap((said, nth) => {
    const letters = lettersOf(said.normalize('NFC'));
    if (letters === '') return [];
    const words = said.split(/[\s-]+/).length;
    return [
      { write, letters, key: phoneticKey(letters, isEnglish), words, isSound: nth > 0, isName },
    ];
  });
}

function grouped<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const key = keyOf(one);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return groups;
}

function gapsOf(forms: readonly Form[]): Map<string, Form[]> {
  const near = forms.filter(mayBeNear);
  const gaps = near.flatMap((form) =>
    Array.from(form.key, (_, at) => ({
      form,
      gap: form.key.slice(0, at) + form.key.slice(at + 1),
    })),
  );
  const groups = grouped(gaps, ({ gap }) => gap);
  return new Map([...groups].map(([gap, all]) => [gap, all.map(({ form }) => form)]));
}

/** Letters that are written for each other, as one. */
function plain(letters: string): string {
  return letters
    .replaceAll('w', 'v')
    .replaceAll('q', 'k')
    .replaceAll('z', 's')
    .replaceAll('x', 'ks')
    .replaceAll('é', 'e')
    .replaceAll('ph', 'f')
    .replaceAll('th', 't');
}

/**
 * Levenshtein distance: letters to insert, delete or change. Spellings of one sound count as equal.
 */
function distance(oneWord: string, otherWord: string): number {
  const [one, other] = [plain(oneWord), plain(otherWord)];
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 1; at <= one.length; at++) {
    const next = [at];
    for (let to = 1; to <= other.length; to++) {
      const changed = (row[to - 1] ?? 0) + (one[at - 1] === other[to - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
