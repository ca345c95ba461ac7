import type { WrittenSnippet } from '../written-snippet.ts';
import { isCommonWord } from './common-words.ts';
import { wordSet } from './tokens.ts';

/** The text around the place where something is inserted. */
export type Surroundings = { readonly before: string; readonly after: string };

/** Dictated text as its place wants it. */
export type FittedWords = {
  readonly text: string;
  /**
   * The full stop that was left out since the text goes on behind it, or none. A piece that comes
   * behind this one brings it along.
   */
  readonly owed: string;
};

/** Rules of the place that a text goes into. */
export type PlaceRules = {
  /**
   * No blank is added around the text and no full stop ends it: an address, a number. @default
   * false
   */
  readonly isUnspaced?: boolean;
  /** No full stop ends the text: words to search for. @default false */
  readonly isUnstopped?: boolean;
  /** No later rule may change what the text begins or ends with. @default nothing */
  readonly fixed?: { readonly start: boolean; readonly end: boolean };
  /** Texts that snippets wrote: beginning, or ending, with one is to the letter. @default none */
  readonly snippets?: readonly WrittenSnippet[];
};

/** As much as one must see of a text to know how it ends. */
const CONTEXT = 16;

/** As much as one must see to know whether a sentence goes on. */
const SENTENCE_CONTEXT = 100;

/** The rules by their shape: who applies them has them fetched when there is a text. */
export type FitToPlace = {
  readonly fitToPlace: typeof fitToPlace;
  readonly unitsBehindCaret: typeof unitsBehindCaret;
};

/**
 * Fits a text to the text around it: a small first letter inside a sentence, and no full stop where
 * the sentence goes on. Names and abbreviations keep their capitals. `words` has no blanks at its
 * ends; those that separate it from its neighbours are the field's.
 */
export function fitToPlace(
  words: string,
  { before, after }: Surroundings,
  { isUnspaced = false, isUnstopped = isUnspaced, snippets = [], ...rules }: PlaceRules = {},
): FittedWords {
  const fixed = rules.fixed ?? fixedBy(snippets, words);
  const near = before.slice(-SENTENCE_CONTEXT);
  const next = after.slice(0, SENTENCE_CONTEXT);
  const isInside = !isUnspaced && goesOnAt(near);
  let text = words;
  // A full stop that the place has already.
  if (/^[.,;:](?!\p{N})/u.test(text) && /[.!?…:;,]$/.test(near)) text = text.slice(1).trimStart();
  // A whole sentence behind a colon is one.
  const isSentence = /:\s*$/.test(near) && /^(?:\S+\s+){4}/.test(text) && /[.!?]$/.test(text);
  if (isInside && !isSentence && !fixed?.start) text = lowered(text, { before: near, after: next });
  let owed = '';
  if (!fixed?.end && hasLastStop(text, next, isInside, isUnstopped)) {
    owed = isUnstopped ? '' : '.';
    text = text.slice(0, -1);
  }
  return { text, owed };
}

/** Each blank, and each run of blanks, as one space: what a field may have made of it. */
const squeezed = (text: string): string => text.replace(/\s+/g, ' ').trim();

/**
 * True for `start` and `end` where the text begins or ends with whole words that a snippet wrote.
 */
function fixedBy(snippets: readonly WrittenSnippet[], words: string) {
  const whole = squeezed(words);
  const written = snippets.map(({ text }) => squeezed(text)).filter((text) => text !== '');
  const isWord = (letter: string): boolean => /[\p{L}\p{N}]/u.test(letter);
  return {
    start: written.some((text) => whole.startsWith(text) && !isWord(whole.charAt(text.length))),
    end: written.some(
      (text) => whole.endsWith(text) && !isWord(whole.charAt(whole.length - text.length - 1)),
    ),
  };
}

/**
 * The units of a text as it goes in that are behind the caret which a snippet in it wants; null
 * where none does. Linear time.
 */
export function unitsBehindCaret(text: string, snippets: readonly WrittenSnippet[]): number | null {
  for (const { text: written, cursor } of snippets) {
    if (cursor === null) continue;
    const first = lettersOf(text).indexOf(lettersOf(written));
    if (first < 0) continue;
    const before = written.slice(0, cursor);
    const isFirst = before.trim() === '';
    const last = first + lettersOf(before).length - 1;
    let at = isFirst ? placeOfLetter(text, first) : placeOfLetter(text, last) + 1;
    // Its own blanks are kept in front of the caret, as far as the field has them.
    const most = at + (isFirst ? 0 : before.length - before.trimEnd().length);
    while (at < most && /\s/.test(text.charAt(at))) at += 1;
    return text.length - at;
  }
  return null;
}

/** The units of a text that are no blanks. */
const lettersOf = (text: string): string => text.replace(/\s+/g, '');

/**
 * The place of the letter with this number, blanks not counted; the text's end if there is none.
 */
function placeOfLetter(text: string, number: number): number {
  let left = number;
  for (let at = 0; at < text.length; at += 1) {
    if (/\s/.test(text.charAt(at))) continue;
    if (left === 0) return at;
    left -= 1;
  }
  return text.length;
}

/** Shortened words that more of the sentence follows. */
const LEADS_ON =
  /(?:^|[\s(])(?:t\.? ?ex|bl\.? ?a|s\.? ?k|p\.? ?g\.? ?a|d\.? ?v\.? ?s|fr\.? ?o\.? ?m|t\.? ?o\.? ?m|f\.? ?d|i\.? ?v|p\.? ?o|dvs|ca|kl|nr|resp|ev|jfr|tel|inkl|exkl|ung|leg|e\.? ?g|i\.? ?e|vs|approx|incl|fig)\.$/i;
/** Those and others, that end in a full stop of their own. */
const ABBREVIATED =
  /(?:^|[\s(])(?:\p{L}{1,2}\. ?(?:\p{L}\. ?)?\p{L}{1,2}|osv|etc|prof|dr|doc|mrs?|ms|forts|obs|jan|feb|aug|sept|okt|nov|dec)\.$/iu;

/** True if the last full stop belongs to an abbreviation. */
export const endsShortened = (text: string): boolean =>
  LEADS_ON.test(text) || ABBREVIATED.test(text);

/** True if `before` ends inside a sentence, so that the next word gets no capital. */
function goesOnAt(before: string): boolean {
  const seen = before.replace(/[^\S\n]+$/u, '');
  const line = seen.slice(seen.lastIndexOf('\n') + 1);
  // The marks of a list, and a label of a form: what follows begins anew.
  if (/^\s*(?:[-–—•*·]|[\p{L}\p{N}]{1,2}[.)]|[\p{Lu}\p{N}][^.,;:!?]{0,30}:)?$/u.test(line))
    return false;
  if (line.endsWith('.')) return LEADS_ON.test(line);
  // A bracket or a dash begins no sentence but where one ended before it.
  const opened = /^(.*?)\s*[([{–—]$/u.exec(line);
  if (opened) return /[\p{L}\p{N},;]$/u.test(opened[1] ?? '');
  return (
    /(?:[\p{L}\p{N},;:%&/+=]|(?<![.!?])[)\]}])$/u.test(line) || /[\p{L}\p{N},;][”"’»]$/u.test(line)
  );
}

/**
 * True if the text's last full stop must go: the place takes none, or `after` brings one or goes
 * on.
 */
function hasLastStop(text: string, after: string, isInside: boolean, isNever: boolean): boolean {
  if (!/[^.\s]\.$/.test(text)) return false;
  if (isNever || /^[^\S\n]*[)”"’»]?\./u.test(after)) return true;
  const goesOn = isInside
    ? /^[^\S\n]*[)\]”"’»]*[^\S\n]*[\p{Ll}\p{N},;:!?…)%]/u
    : /^[^\S\n]*[)”"’»]*[^\S\n]*[\p{Ll},;:!?…]/u;
  if (!goesOn.test(after)) return false;
  const end = text.slice(-CONTEXT);
  return !endsShortened(end);
}

/** Words that begin a sentence and keep their capital within one; no list can hold all names. */
const NAMES = new RegExp(
  `^(?:${[
    // English days, months, peoples and languages.
    '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?|January|February|April|June|July|August',
    '(?:Sept|Nov|Dec)ember|October|Christmas|Easter|Russian|Italian|American?|Dutch|Chinese',
    '(?:Swed|Engl|Dan|Finn|Brit|Ir|Scott|Span|Turk)ish|German|French|Norwegian|European',
    // Families.
    '\\p{L}{2,}(?:sson|[qk]vist|stedt|dahl|holm|gren|lund|ström|berg)',
    // Names and places spoken of most.
    'Ann[ae]?|Mari[ae]?|Eva|Karin|Kristina|Lena|Sarah?|Emma|Elin|Malin|Linda|Maja|Elsa|Astrid',
    'Birgitta|Margareta|Ingrid|Elisabeth?|Lars|Anders|Johan|Erik|Karl|Peter|Jan|Mikael|Nils|Olle',
    'Thomas|Tomas|Fredrik|Daniel|Magnus|Oskar|Gustav|Åke|Sven|Bengt|Göran|Lisa|Klara|John|James',
    'Robert|David|William|Michael|George|Paul|Mary|Jane|Susan|Elizabeth|Emily|Alice|Kate|Jack',
    'Sverige|Stockholm|Göteborg|Malmö|Uppsala|Lund|Linköping|Örebro|Västerås|Norge|Danmark',
    'Europa|Tyskland|England|Sweden|London|Paris|Berlin|Oslo|Köpenhamn|Norway|Denmark|Germany',
    // People that diseases, signs and hospitals are named after; brands.
    'Parkinson|Alzheimer|Crohn|Hodgkin|Addison|Cushing|Bechterew|Meniere|Downs|Sjögren|Raynaud',
    'Babinski|Romberg|Dupuytren|Hashimoto|Tourette|Huntington|Karolinska|Sahlgrenska',
    'Alvedon|Ipren|Panodil|Waran|Treo|Google|Microsoft|Excel|Europe|Finland|France',
  ].join('|')})(?:['’]?s)?$`,
  'u',
);

/** More of them, but for those that are words as well: "Hans", "Sten", "Maj". */
const MORE_NAMES = wordSet(
  'ella alma alva ebba fatima maryam aisha amina hanna hannah ida ingela inger gunilla gunnel barbro',
  'kerstin ulla birgit britt berit camilla carina catarina cecilia charlotte charlotta christina ellen',
  'emelie emilia eleonora elvira filippa frida gerd greta helena helene irene isabelle jenny jessica',
  'johanna josefin josefine julia katarina kajsa linnea louise lovisa madeleine margit margareta maud',
  'marianne matilda mona monica monika märta nathalie nina olivia pernilla pia rebecka sandra selma',
  'signe sigrid siri sofia sofie solveig susanne therese tilda ulrika vera veronica veronika victoria',
  'viktoria vilma wilma ylva yvonne zahra åsa stina agnes agneta amanda annika annelie britta doris',
  'adam albin alexander alfred ahmed ahmad hassan hussein ibrahim mohamed mohammed muhammad omar',
  'mustafa andreas anton arne arvid benjamin birger bertil christer christian christoffer dennis edvin',
  'einar elias emil erland evert filip folke gunnar hampus harald henrik henry herman hugo håkan ingemar',
  'ingvar isak ivar jakob jens jesper joakim johannes jonas jonathan josef jörgen kenneth kent kevin kjell',
  'kristian kurt leif lennart liam linus lucas lukas ludvig marcus markus martin mattias melvin mikael',
  'nicklas niklas noah ola olof oliver ove patrik pontus ragnar rasmus rickard rikard roger roland rolf',
  'samuel sebastian simon sixten staffan stefan stellan sture sune svante tobias tommy tord torsten ulf victor',
  'viktor vilhelm vincent yngve örjan jimmy joel',
  'solna helsingborg norrköping jönköping umeå gävle borås södertälje eskilstuna halmstad växjö karlstad',
  'sundsvall luleå östersund kalmar karlskrona kiruna visby gotland skåne dalarna småland falun trollhättan',
  'kristianstad huddinge danderyd lidingö skövde nyköping norrland halland blekinge värmland',
  'furix lasix trombyl eliquis xarelto pradaxa levaxin lantus novorapid humalog tresiba ozempic victoza',
  'jardiance forxiga januvia seloken emconcor norvasc cozaar crestor lipitor losec nexium imovane stilnoct',
  'theralen atarax lergigan sobril stesolid oxascand xanor citodon tradolan oxynorm oxycontin dolcontin',
  'targiniq norspan lyrica ritalin concerta elvanse strattera zoloft cipralex cipramil cymbalta remeron',
  'risperdal zyprexa seroquel abilify ventoline bricanyl pulmicort symbicort spiriva betapred kåvepenin',
  'amimox heracillin bactrim selexid furadantin ciproxin flagyl doxyferm voltaren fragmin innohep klexane',
  'cellcept humira enbrel prograf movicol cilaxoral microlax dulcolax vesicare betmiga behepan duroferon',
);
const isName = (word: string): boolean =>
  NAMES.test(word) ||
  [word, word.replace(/['’]?s$/, '')].some((each) => MORE_NAMES.has(each.toLowerCase()));

/** Months that are words as well. */
const MONTH_IN = /(?:^|\s)(?:in|since|until|till|of|last|next|by|this|early|late|from|to)\s+$/i;
const STREET = /(?:gatan|vägen|torget|gränd|stigen|backen|allén)$/;
/** In front of a name, and no part of it. */
const SWEDISH_TITLE =
  /(?:sköterska|läkare|doktor|terapeut|gymnast|kurator|psykolog|barnmorska|chef|handläggare)n?$/i;

/** A word with a capital that begins no sentence. */
const NAME_AT_END = /[\p{L}\p{N},;] \p{Lu}\p{Ll}+ ?$/u;

const SWEDISH =
  /[åäö]|(?:^|\s)(?:och|att|som|det|den|en|ett|inte|av|med|har|hon|han|vi|dag)(?!\p{L})/iu;
/** Nouns have capitals there. */
const GERMAN = /(?:^|\s)(?:und|nicht|ist|eine?|der|das|von|ich|wir)(?!\p{L})/iu;

/** The text with a small first letter, unless its first word is known by a capital. */
export function lowered(text: string, { before, after }: Surroundings): string {
  const first = /^(["”“'«»]?)(\p{Lu}(?:['’]?\p{Ll}+)*)(?!\p{L})/u.exec(text);
  const [whole = '', mark = '', word = ''] = first ?? [];
  const rest = text.slice(whole.length, whole.length + SENTENCE_CONTEXT);
  const seen = `${before}${after} ${whole}${rest}`;
  // A letter by itself is a name for something, but in words.
  if (word.length < 2 && !/^[AIÅÖ]$/.test(word)) return text;
  if (/^I(?!\p{L})/u.test(word) && !SWEDISH.test(seen)) return text;
  // "Covid-19", "A/S", "Vitamin D": a part of something longer, which is known by its capitals.
  if (/^(?:[-‐‑/&]?[\p{N}\p{Lu}]|[@_]|\.\p{L})/u.test(rest)) return text;
  const isCommon =
    SWEDISH_TITLE.test(word) ||
    [true, false].some((isEnglish) => isCommonWord(word.toLowerCase(), isEnglish));
  // "Elin Sjöqvist", and the second half of it: words with capitals in a row are a name.
  const isAmongNames = /^ \p{Lu}\p{Ll}/u.test(rest) || NAME_AT_END.test(before);
  if (isAmongNames && !isCommon) return text;
  const isMonth = /^Ma(?:y|rch)$/.test(word) && (/^ \d/.test(rest) || MONTH_IN.test(before));
  const isStreet = STREET.test(word) && /^ \d/.test(rest);
  if (isName(word) || isMonth || isStreet) return text;
  if (GERMAN.test(seen)) return text;
  return mark + word.charAt(0).toLowerCase() + text.slice(mark.length + 1);
}
