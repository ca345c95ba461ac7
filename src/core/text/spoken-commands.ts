import { CONTROL, type ControlCommand, controlled } from './control-commands.ts';
import { lowered } from './fit-to-place.ts';
import { NUMERALS, type Numerals } from './numerals.ts';
import { type Token, tokensOf, withCapital, wordSet } from './tokens.ts';

/** Which commands count. */
export type CommandOptions = {
  /** "ny rad", "nytt stycke". */
  readonly structure: boolean;
  /** "punkt", "frågetecken", "versal": many recognisers punctuate by themselves. */
  readonly marks: boolean;
  /** "stryk det", "ångra", "stoppa": see `controlled`. */
  readonly control: boolean;
};

/** A text with its commands carried out. */
export type CommandedText = { readonly text: string; readonly command: ControlCommand | null };

type Kind = 'break' | 'mark' | 'dash' | 'open' | 'close' | 'capital' | 'literally';

type Command = {
  readonly kind: Kind;
  readonly write: string;
  /**
   * The chance that people mean the word itself. `never`: always a command; `seldom`: a command
   * with a mark on one side of it; `often`: only with marks on both.
   */
  readonly isWord: 'never' | 'seldom' | 'often';
};

type Phrase = Command & { readonly words: readonly string[] };

function command(kind: Kind, write: string, isWord: Command['isWord'], ...said: string[]) {
  return said.map((phrase): Phrase => ({ kind, write, isWord, words: phrase.split(' ') }));
}

const SWEDISH: readonly Phrase[] = [
  ...command('break', '\n', 'seldom', 'ny rad', 'radbrytning'),
  ...command('break', '\n\n', 'seldom', 'nytt stycke'),
  ...command('mark', '.', 'seldom', 'punkt'),
  ...command('mark', ',', 'often', 'komma', 'kommatecken'),
  ...command('mark', '?', 'seldom', 'frågetecken'),
  ...command('mark', '!', 'seldom', 'utropstecken'),
  ...command('mark', ':', 'often', 'kolon'),
  ...command('mark', ';', 'seldom', 'semikolon'),
  ...command('dash', '–', 'seldom', 'tankstreck'),
  ...command('open', '(', 'never', 'parentes', 'vänsterparentes', 'start parentes'),
  ...command('close', ')', 'never', 'slut parentes', 'högerparentes', 'parentes slut'),
  ...command('open', '”', 'never', 'citat', 'start citat'),
  ...command('close', '”', 'never', 'slut citat', 'citat slut'),
  ...command('capital', '', 'seldom', 'versal', 'stor bokstav'),
  ...command('literally', '', 'never', 'ordagrant'),
];

const ENGLISH: readonly Phrase[] = [
  ...command('break', '\n', 'seldom', 'new line', 'newline', 'line break'),
  ...command('break', '\n\n', 'seldom', 'new paragraph'),
  ...command('mark', '.', 'seldom', 'full stop'),
  ...command('mark', '.', 'often', 'period'),
  ...command('mark', ',', 'often', 'comma'),
  ...command('mark', '?', 'seldom', 'question mark'),
  ...command('mark', '!', 'seldom', 'exclamation mark', 'exclamation point'),
  ...command('mark', ':', 'often', 'colon'),
  ...command('mark', ';', 'seldom', 'semicolon', 'semi colon'),
  ...command('dash', '–', 'often', 'dash'),
  ...command('open', '(', 'never', 'open parenthesis', 'open bracket', 'open paren'),
  ...command('close', ')', 'never', 'close parenthesis', 'close bracket', 'close paren'),
  ...command('open', '“', 'never', 'open quote', 'begin quote', 'quote'),
  ...command('close', '”', 'never', 'close quote', 'end quote', 'unquote', 'end of quote'),
  ...command('capital', '', 'often', 'cap', 'capital letter'),
  ...command('literally', '', 'never', 'literal', 'verbatim'),
];

/** A command as a person reads of it. */
export type ListedCommand = {
  readonly kind: Kind | ControlCommand;
  /** The text that it writes; empty where it changes the next word or what was said before. */
  readonly write: string;
  /** Its spoken forms, the usual one first. */
  readonly said: readonly string[];
};

/** Every command of a language, `sv` or `en`, for a list of them. */
export function commandsIn(language: 'sv' | 'en'): readonly ListedCommand[] {
  const listed = new Map<string, Omit<ListedCommand, 'said'> & { said: string[] }>();
  for (const { kind, write, words } of language === 'sv' ? SWEDISH : ENGLISH) {
    const name = `${kind} ${write}`;
    const known = listed.get(name) ?? { kind, write, said: [] };
    known.said.push(words.join(' '));
    listed.set(name, known);
  }
  const control = Object.entries(CONTROL[language] ?? {});
  for (const kind of ['strike', 'undo', 'stop'] as const) {
    const said = control.filter(([, command]) => command === kind).map(([words]) => words);
    listed.set(kind, { kind, write: '', said });
  }
  return [...listed.values()];
}

/** In front of these words a command is the name of a thing, and no command. */
const NAMES_A_THING = wordSet(
  'en ett den det denna detta dessa de varje någon något ingen inget vilken vilket vilka sätt sätter',
  'satte sätta min mitt din ditt sin sitt hans hennes vår vårt deras första andra tredje sista nästa',
  'vissa många flera fler alla inga stora små samma ordet tecknet heter kallas kallad på i av med om till för från som utan enligt per två tre',
  'a an the this that each every any some no my your his her its our their first second third last',
  'next another word sign called named of in on with for from about to by use two three per',
);

/** Behind these words likewise. */
const GOES_ON = wordSet(
  'i på av till för med om som mellan efter före är var blir behövs saknas och eller nummer ett två',
  'tre fyra fem of in on for with that which is are was were needed between after before and or one',
  'two three four five splice splices separated marks',
);

/** Sentences that begin with these are mostly questions. */
const ASKS = wordSet(
  'vad vem var vart när hur varför vilken vilket vilka kan kommer är har ska skulle vill får finns',
  'går stämmer what who where when how why which whose can could would will shall should do does did',
  'is are was were have has may am',
);

type Lexicon = ReadonlyMap<string, readonly Phrase[]>;

/** By their first words, the longest first. */
function lexiconOf(phrases: readonly Phrase[]): Lexicon {
  const lexicon = new Map<string, Phrase[]>();
  for (const phrase of [...phrases].sort((a, b) => b.words.length - a.words.length)) {
    const [first = ''] = phrase.words;
    lexicon.set(first, [...(lexicon.get(first) ?? []), phrase]);
  }
  return lexicon;
}

const LEXICONS: Readonly<Record<string, Lexicon>> = {
  sv: lexiconOf(SWEDISH),
  en: lexiconOf(ENGLISH),
};

type Found = { readonly at: number; readonly phrase: Phrase };

const HAS_MARK = /[.,;:!?…–—\n]/;
const IS_SENTENCE_END = /[.!?…]/;

/**
 * Carries out what was said to be done: line breaks, marks, brackets, capitals. A command counts
 * only where it stands alone as recognisers write it, and their own mark round it goes; anything
 * else stays as it is, byte for byte. `language` is a code such as `sv` or `en-GB`. Linear time.
 */
export function carryOutCommands(
  said: string,
  language: string,
  options: CommandOptions,
): CommandedText {
  const code = language.slice(0, 2).toLowerCase();
  const lexicon = LEXICONS[code];
  if (lexicon === undefined) return { text: said, command: null };
  const { text, command } = options.control
    ? controlled(said, code)
    : { text: said, command: null };
  if (command !== null) return { text, command };
  if (!(options.structure || options.marks)) return { text, command: null };
  const { tokens, end } = tokensOf(text);
  const found = findCommands(tokens, end, lexicon, { ...options, numerals: NUMERALS[code] });
  if (found.length === 0) return { text, command: null };
  return { text: written(tokens, end, found), command: null };
}

function findCommands(
  tokens: readonly Token[],
  end: string,
  lexicon: Lexicon,
  { numerals, ...options }: CommandOptions & { readonly numerals: Numerals | undefined },
): readonly Found[] {
  const isOn = ({ kind }: Phrase): boolean =>
    kind === 'literally' || (kind === 'break' ? options.structure : options.marks);
  const isSaid = ({ words }: Phrase, at: number): boolean =>
    words.every((word, nth) => {
      const token = tokens[at + nth];
      return token?.key === word && (nth === 0 || token.gap.trim() === '');
    });
  const phraseAt = (at: number): Phrase | undefined =>
    lexicon.get(tokens[at]?.key ?? '')?.find((phrase) => isOn(phrase) && isSaid(phrase, at));
  const hasMarkBefore = (at: number): boolean => HAS_MARK.test(tokens[at]?.gap ?? end);
  const isName = (at: number): boolean => NAMES_A_THING.has(tokens[at]?.key ?? '');
  // "version två punkt fyra".
  const isNumber = (at: number): boolean =>
    (numerals?.valueOf(tokens[at]?.key ?? '') ?? null) !== null;
  /** The last sentence begins as a question does. */
  const isQuestion = (): boolean => {
    const first = tokens.findLastIndex(({ gap }, at) => at === 0 || IS_SENTENCE_END.test(gap));
    return ASKS.has(tokens[first]?.key ?? '');
  };
  // A recogniser that writes no marks does not show which words were set apart.
  const isBare = tokens.length > 3 && !tokens.some((_, at) => at > 0 && hasMarkBefore(at));

  const found: Found[] = [];
  for (let at = 0; at < tokens.length; ) {
    const phrase = phraseAt(at);
    const last = found.at(-1);
    const isBehindOne = last !== undefined && last.at + last.phrase.words.length === at;
    if (phrase === undefined || !counts(phrase, at, isBehindOne)) {
      at++;
      continue;
    }
    found.push({ at, phrase });
    at += phrase.words.length;
    // The words behind it are meant as they are.
    if (phrase.kind === 'literally') at += phraseAt(at)?.words.length ?? 0;
  }
  return paired(found);

  function counts(phrase: Phrase, at: number, isBehindOne: boolean): boolean {
    const next = at + phrase.words.length;
    const isFree = at === 0 || isBehindOne || hasMarkBefore(at);
    switch (phrase.kind) {
      case 'literally':
        return phraseAt(at + 1) !== undefined;
      case 'close':
        return true;
      case 'open':
        return isFree || !isName(at - 1);
      case 'capital':
        return isCapital(phrase, isFree, at, next);
      default:
        return isAlone(phrase, isFree, at, next);
    }
  }

  function isCapital({ isWord }: Phrase, isFree: boolean, at: number, next: number): boolean {
    const word = tokens[next];
    if (word === undefined || goesOn(word)) return false;
    // "Cap it at ten."
    if (/^(?:it|them|him|her|us|this|that|these|those|the|my|your|our)$/.test(word.key))
      return false;
    return isFree || (isWord === 'seldom' && !isName(at - 1));
  }

  function isAlone(phrase: Phrase, isFree: boolean, at: number, next: number): boolean {
    const following = tokens[next];
    const nextPhrase = phraseAt(next);
    const isEnded = next >= tokens.length || hasMarkBefore(next) || nextPhrase !== undefined;
    if (isNumber(at - 1) && isNumber(next)) return false;
    // "Kolon, utan anmärkning": with nothing in front of it, it is the organ.
    if (phrase.write === ':' && at === 0 && next < tokens.length) return false;
    if (isFree && isEnded) return true;
    if (isPlain(phrase, next, nextPhrase)) return !isName(at - 1);
    return isSeenAlone(phrase, isFree, isEnded, at, following);
  }

  /** Where the recogniser's marks do not say it. */
  function isSeenAlone(
    phrase: Phrase,
    isFree: boolean,
    isEnded: boolean,
    at: number,
    following: Token | undefined,
  ): boolean {
    if (phrase.isWord === 'often' || (!isEnded && following && goesOn(following))) return false;
    if (isFree) return isBare || /^\p{Lu}/u.test(following?.said ?? '');
    if (isName(at - 1) || (!hasMarkBefore(at - 1) && isName(at - 2))) return false;
    return isBare || (isEnded && phrase.kind === 'mark');
  }

  /** "punkt ny rad", and a question that ends in its mark: nobody speaks of a mark so. */
  function isPlain({ kind, write }: Phrase, next: number, behind: Phrase | undefined): boolean {
    if (kind === 'mark' && behind?.kind === 'break') return true;
    return write === '?' && next >= tokens.length && isQuestion();
  }
}

const goesOn = ({ key }: Token): boolean => GOES_ON.has(key) || /^\d/.test(key);

/** Without what opens and is not closed, and what closes and was not opened. */
function paired(found: readonly Found[]): readonly Found[] {
  const open: number[] = [];
  const alone = new Set<number>();
  for (const [nth, { phrase }] of found.entries()) {
    if (phrase.kind === 'open') open.push(nth);
    if (phrase.kind !== 'close') continue;
    const isMine = (other: number) =>
      (found[other]?.phrase.write === '(') === (phrase.write === ')');
    const opener = open.findLastIndex(isMine);
    if (opener < 0) alone.add(nth);
    // Others that were begun within it have no end.
    else for (const other of open.splice(opener).slice(1)) alone.add(other);
  }
  for (const nth of open) alone.add(nth);
  return alone.size === 0 ? found : found.filter((_, nth) => !alone.has(nth));
}

/** The blank in front of the next word, and the case of that word's first letter. */
type Joint = { readonly blank: string; readonly letter: 'upper' | 'lower' | 'same' };

/** The text that a command writes, and its effect on the next word. */
type Effect = { readonly front: string; readonly joint: Joint };

type Place = {
  /** The gap that the recogniser wrote before the command; empty behind another command. */
  readonly left: string;
  /** The joint that a command right before this one asked for; null without one. */
  readonly owed: Joint | null;
  /** The end of the text written so far. */
  readonly tail: string;
  /** The gap that the recogniser wrote behind the command. */
  readonly right: string;
  readonly isLast: boolean;
};

/**
 * Joins words and commands into the new text, with blanks and case corrected around each command.
 */
function written(tokens: readonly Token[], end: string, found: readonly Found[]): string {
  const pieces: string[] = [];
  let tail = '';
  const put = (piece: string): void => {
    pieces.push(piece);
    tail = (tail + piece).slice(-8);
  };
  const commands = new Map(found.map(({ at, phrase }) => [at, phrase]));
  let joint: Joint | null = null;
  for (let at = 0; at < tokens.length; ) {
    const { said = '', gap = '' } = tokens[at] ?? {};
    const phrase = commands.get(at);
    if (phrase === undefined) {
      put(joint === null ? gap + said : joint.blank + openingOf(gap) + cased(said, joint, gap));
      joint = null;
      at++;
      continue;
    }
    at += phrase.words.length;
    const place: Place = {
      left: joint === null ? gap : '',
      owed: joint,
      tail,
      right: tokens[at]?.gap ?? end,
      isLast: at >= tokens.length,
    };
    const effect = effectOf(phrase, place);
    put(effect.front);
    joint = effect.joint;
  }
  if (joint === null) put(end);
  return pieces.join('');
}

function effectOf({ kind, write }: Phrase, place: Place): Effect {
  const { left, owed, tail, right, isLast } = place;
  const isNew = tail === '' || IS_SENTENCE_END.test(left) || /[.!?\n]\s*$/.test(tail);
  const parted = partedBy(left, owed, tail);
  switch (kind) {
    case 'literally':
      return { front: '', joint: { blank: parted, letter: isNew ? 'upper' : 'same' } };
    case 'capital':
      return { front: parted, joint: { blank: '', letter: 'upper' } };
    case 'break': {
      const front = left.replace(/[\s,;–—-]+/g, '');
      const isBegun = write === '\n\n' || /(?:^|[.!?:…])["”»)]*\n*$/.test(tail + front);
      return { front: front + write, joint: { blank: '', letter: isBegun ? 'upper' : 'same' } };
    }
    case 'mark':
      return {
        front: closingOf(left) + write,
        joint: { blank: ' ', letter: /[.!?]/.test(write) ? 'upper' : 'lower' },
      };
    case 'dash':
      return { front: `${closingOf(left)} ${write}`, joint: { blank: ' ', letter: 'lower' } };
    case 'open':
      return { front: parted + write, joint: { blank: '', letter: isNew ? 'same' : 'lower' } };
    case 'close': {
      const mark = /^[.!?:;…]*/.exec(right.trimStart())?.[0] ?? '';
      const front = closingOf(left) + write + mark;
      return { front, joint: { blank: isLast ? '' : ' ', letter: 'same' } };
    }
  }
}

/** The opening marks right before a word, such as a bracket. */
const openingOf = (gap: string): string => /[([“”"«„]+$/.exec(gap)?.[0] ?? '';
/** The closing marks right behind a word. */
const closingOf = (gap: string): string => /^[)\]”"»]+/.exec(gap)?.[0] ?? '';

/**
 * The separator between the text before a command and the command; empty at the text's beginning.
 */
function partedBy(left: string, owed: Joint | null, tail: string): string {
  if (tail === '') return '';
  if (IS_SENTENCE_END.test(left)) return left;
  return owed?.blank ?? (left === '' ? '' : ' ');
}

const NOWHERE = { before: '', after: '' };

function cased(word: string, { letter }: Joint, gap: string): string {
  if (letter === 'upper') return withCapital(word);
  // The recogniser's capital, behind the full stop that it made of a pause.
  return letter === 'lower' && IS_SENTENCE_END.test(gap) ? lowered(word, NOWHERE) : word;
}
