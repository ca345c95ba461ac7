import { wordSet } from './tokens.ts';

/**
 * Words that engines make of noise and silence: the ends of the films they learned from. Compared
 * in the form of `plainWords`.
 */

/** Subtitle studios, which sign their work: their names are in no note. */
const STUDIOS = new RegExp(
  `\\b(?:${[
    'amara org|(?:svenska? ?|under)?textning nu|undertexter (?:se|nu|com)|btistudios|bti studios',
    'svensk medietext|scandinavian text service|castingwords|zeoranger|iyuno|sdi ?media|ai media ab',
    'opensubtitles|steamteamextra|otter ai|mooji media|zdf für funk|bf watch tv|dimatorzok',
  ].join('|')})\\b`,
);

/** Credits and farewells in languages that nobody asked for. */
const FOREIGN =
  /^(?:untertitel|sous titr|sottotitoli|subtítulos|legendas |ondertitel|undertekst|tekst(?:ing|et) av |danske tekster|субтитры|продолжение следует|字幕|ご視聴ありがと|谢谢观看|謝謝觀看|請不吝點贊|시청해|mbc 뉴스|(?:vielen )?dank(?:e)? fürs zuschauen|gracias por ver|merci d avoir regardé|obrigad[oa] por assistir|takk? (?:for at|fordi) (?:du|dere|i) så (?:på|med))/;

/** The vocabulary of farewells to an audience: a text with any other word was really said. */
const AUDIENCE = wordSet(
  'tack stort tusen så mycket för till att du ni er alla som har tittat tittade tittar tittandet',
  'titten på den det här denna min vår dagens mina våra video videon videor videorna klippet film',
  'filmen avsnitt avsnittet kanal kanalen vlogg vloggen glöm inte bort och gilla dela kommentera',
  'prenumerera gärna klicka tryck knappen vi ses i nästa ny nytt hej då hejdå hejsan välkommen',
  'välkomna tillbaka en ett om gillade ge tumme upp hoppas idag mig',
  'thanks thank you so very much all guys everyone everybody for watching this that the my our',
  'video videos channel and please don t forget to like comment share subscribe hit click button',
  'bell icon notification see in next one episode bye if enjoyed liked give it a thumbs up i ll we',
  'hope welcome back hi hey hello today till until the end more joining us on again be sure make',
);

/** Phrases of a farewell that no note contains; the lookaheads allow two words in any order. */
const TO_AN_AUDIENCE = new RegExp(
  `^(?:${[
    '(?=.*\\btack\\b).*\\btitt(?:at|ade|ar|andet|en)\\b|.*\\b(?:prenumerera|subscribe)\\b',
    '(?=.*\\b(?:gillade?|tack|ses|välkom\\p{L}+|ge|hoppas)\\b).*\\b(?:video|vlogg|kanal|avsnitt)(?:en|et)?\\b',
    '.*\\bses (?:i )?nästa film(?:en)?\\b|.*\\b(?:en tumme|a thumbs) up?p\\b|.*\\bbell icon\\b',
    '(?=.*\\bthank(?:s| you)\\b).*\\bwatching\\b|.*\\bsee you (?:guys |all )?in the next one\\b',
    '(?=.*\\b(?:enjoyed|liked?|welcome|see|joining|hope)\\b).*\\b(?:videos?|channel|next episode)\\b',
  ].join('|')})`,
  'u',
);

/** Small talk: a text of these words alone is no loss where hardly any speech was heard. */
const SMALL_TALK = wordSet(
  'tack så hemskt mycket stort alla ska du ni ha det bra hej hejsan hallå då hejdå ja jo okej ok där',
  'sådär aa vi ses god natt kväll musik applåder skratt tystnad slut och för hjälpen mig idag',
  'thank thanks you all everyone guys very much so bye goodbye good night evening okay yeah alright',
  'oh hello hi hey see later the i and music applause laughter silence playing spelas',
);

const SOUNDS_MADE = /^(?:m+|m+ ?h+m+|h+m+|u+h+(?: huh)?|u+m+|a+h*|o+h+|e+h+|ö+h*)(?: |$)/;

/** Invented whole, but dictated as well: the amount of speech in the audio decides. */
const SAID_AS_WELL = new RegExp(
  `^(?:${[
    'tack för att (?:du|ni) (?:har )?lyssna(?:de|t)(?: på (?:det här |den här )?(?:avsnittet|podden))?',
    'tack för er uppmärksamhet|thank(?:s| you) for (?:listening|your attention)|see you next time',
    'i m sorry|i don t know|the end|we ll be right back|to be continued|fortsättning följer',
    'och så vidare|det var allt|undertext(?:er|ning)?|svensk text|textning|subtitles|captions',
    'text|översättning|all rights reserved',
  ].join('|')})$`,
);

/** An address by itself. */
const ADDRESS = /^\s*(?:https?:\/\/)?(?:www\.)?[\w-]+(?:\.[\w-]+)+(?:\/\S*)?\s*$/i;

/** In front of the names of those who made a film's words. */
const CREDITED =
  /^(?:undertext(?:er|erna|ning|at|ad)?|textning(?:en)?|subtitles?|subtitl(?:ing|ed)|caption(?:s|ing|ed)?)$/;
/** Notes have their makers, too. */
const CREDITED_AS_WELL =
  /^(?:text|översättning|översatt|translat(?:ed|ion)|transcri(?:bed|pt|ption)|copyright|musik(?:en)?|music)$/;
const CREDIT_ADJECTIVE = /^(?:svenska?|engelska?|english|swedish)$/;
const CREDIT_GLUE = /^(?:av|från|är|gjorda?|by|are|is|made|provided|from|of|the|c)$/;
/** Between names, or a year. */
const NAME_GLUE = /^(?:för|for|of|the|och|and|av|by|www\..+|\d+)$/;

/** Longer texts are somebody's, whatever they say. */
const MAX_CHARACTERS = 90;

/** Never dictated, or dictated as well. */
type InventionKind = 'never-said' | 'said-as-well';

/** Looks up a whole short text, or each sentence and clause of it. */
export function inventionKindOf(text: string): InventionKind | null {
  if (text.length > MAX_CHARACTERS || text.trim() === '') return null;
  const whole = plainWords(text);
  // Marks alone are what is left of a silence, or "punkt" as some recognisers write it.
  if (whole === '') return /…|\.\./.test(text) ? 'never-said' : 'said-as-well';
  const kind = kindOfWords(whole) ?? kindOfCredit(text);
  if (kind !== null) return kind;
  if (ADDRESS.test(text)) return 'said-as-well';
  const clauses = text.split(/[.!?…,;]+(?=\s|$)|\n/).filter((one) => plainWords(one) !== '');
  const kinds = clauses.map((one) => kindOfWords(plainWords(one)) ?? kindOfCredit(one));
  if (kinds.includes(null)) return null;
  return kinds.includes('never-said') ? 'never-said' : 'said-as-well';
}

function kindOfWords(plain: string): InventionKind | null {
  const words = plain.split(' ');
  const isToAudience = TO_AN_AUDIENCE.test(plain) && words.every((word) => AUDIENCE.has(word));
  if (isToAudience || STUDIOS.test(plain) || FOREIGN.test(plain)) return 'never-said';
  if (SAID_AS_WELL.test(plain) || words.every((word) => SMALL_TALK.has(word)))
    return 'said-as-well';
  return isMadeOfSounds(plain) ? 'said-as-well' : null;
}

function isMadeOfSounds(plain: string): boolean {
  let rest = plain;
  while (rest !== '' && SOUNDS_MADE.test(rest)) rest = rest.replace(SOUNDS_MADE, '');
  return rest === '';
}

/** "Textning: Anna Ek", "Subtitles by the Ek community", "© SVT 2019": names, and nothing else. */
function kindOfCredit(text: string): InventionKind | null {
  const said = text.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}.’'-]*/gu) ?? [];
  const words = said.map((word) => word.toLowerCase());
  const isSigned = /^\s*(?:copyright\s+)?(?:©|\(c\))/i.test(text);
  let at = CREDIT_ADJECTIVE.test(words[0] ?? '') ? 1 : 0;
  const word = words[at] ?? '';
  const isCredit = CREDITED.test(word);
  if (!(isCredit || isSigned || CREDITED_AS_WELL.test(word))) return null;
  if (isCredit || CREDITED_AS_WELL.test(word)) at++;
  const hasColon = new RegExp(`${word}\\s*:`, 'i').test(text);
  const first = at;
  while (CREDIT_GLUE.test(words[at] ?? '')) at++;
  if (at === first && !(hasColon || isSigned || /^(?:copyright|transcript)$/.test(word)))
    return null;
  if (!areNames(said.slice(at))) return null;
  return isCredit || isSigned ? 'never-said' : 'said-as-well';
}

const isName = (word: string): boolean => /^\p{Lu}/u.test(word);

/**
 * True for names, words that join them, and years: another word in small letters was really said.
 */
function areNames(words: readonly string[]): boolean {
  if (!words.some(isName)) return false;
  return words.every((word) => isName(word) || NAME_GLUE.test(word.toLowerCase()));
}

/** The words of a text in lower case with a space between them, and nothing else. */
export function plainWords(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** Between sentences, in round brackets: rarer words may be somebody's remark. */
const PLAIN_SOUND =
  /^(?:\p{L}+ ){0,2}(?:musik(?:en)?|music|applåder?|applause|skratt(?:ar|et)?|laugh(?:s|ter|ing)?|tystnad|silence|blank audio|inaudible|unintelligible|ohörbart?|inget tal|inget ljud|ingen talar|no speech|no audio|no sound|jubel|cheer(?:s|ing))(?: (?:spelas?|spelar|playing|plays|continues|fortsätter|och \p{L}+|and \p{L}+))?$/u;

const SOUND_WORD =
  /^(?:musik|melodi|applåd|skratt|fniss|hosta|hostn|harkl|suck|gråt|snyft|vissl|nynna|sjung|sång|jubel|jubl|tystnad|tyst|paus|brus|sus|surr|oväsen|buller|ljud|ohörbar|otydlig|muml|mummel|viska|viskn|andas|andn|andetag|gäsp|snark|nys|skrik|ropar|klick|knack|pip|signal|ringer|ringsignal|skäll|kvitt|fotsteg|dörr|bakgrund|music|song|sing|humming|applau|clap|cheer|laugh|chuckl|giggl|cough|sigh|crying|cries|sob|sniff|whistl|silen|quiet|pause|noise|static|hiss|buzz|beep|click|knock|bell|ringing|rings|inaudible|unintelligible|indistinct|unclear|blank|sound|breath|exhal|inhal|yawn|sneez|snor|scream|shout|whisper|mumbl|chatter|crowd|footstep|bark|chirp|door|typing|background|crosstalk|instrumental|musi(?:que|ca)|música|risas|rires|klapp|störning|gasp|grunt|groan|whimper|panting|gunshot|howl|speaking|speaks|speech|audio|video)/u;

/** Things that make a noise, as engines tell of them: "wind howling". */
const THING_SOUNDS =
  /^(?:\p{L}+ )?(?:wind|engine|water|rain|thunder|phone|birds?|dogs?|air|cars?|horn|siren|alarm|glass|papers?|machine|baby|child|children|man|woman|people|telefonen|klockan|hunden) (?:\p{L}+ing|ringer|skäller|gråter)(?: in \p{L}+(?: \p{L}+)?)?$/u;

/** Whole ones whose first and last words are ordinary. */
const WHOLE_SOUND =
  /^(?:clear(?:s|ing) (?:\p{L}+ )?throat|hörs (?:ej|inte)|svårt att (?:höra|uppfatta)|(?:ingen|inget|inga) (?:dialog|röst|röster|tal|ljud)|no (?:transcript|dialogue?|voices?|speech|audio|sound)(?: detected)?|foreign(?: language)?|end of (?:audio|transcript(?:ion)?|recording)|(?:la|na|da|oh|ooh|ah|hey)(?: (?:la|na|da|oh|ooh|ah|hey))+)$/u;

const MAX_SOUND_WORDS = 5;

/** "BLANK_AUDIO", "skrattar", "upbeat music", "inaudible 00:01:05": what is heard and not said. */
export function isSound(inside: string): boolean {
  const untimed = inside.replace(/\d\d?:\d\d(?::\d\d)?|\bi \d+ (?:sek|min)\p{L}*/gu, '');
  const plain = plainWords(untimed.replaceAll('_', ' '));
  const words = plain.split(' ');
  if (words.length > MAX_SOUND_WORDS || /\d/.test(untimed)) return false;
  const isAtAnEnd = SOUND_WORD.test(words[0] ?? '') || SOUND_WORD.test(words.at(-1) ?? '');
  return isAtAnEnd || [PLAIN_SOUND, THING_SOUNDS, WHOLE_SOUND].some((sound) => sound.test(plain));
}

/** True if it is one of those that are never meant as a remark. */
export function isPlainSound(inside: string): boolean {
  return PLAIN_SOUND.test(plainWords(inside.replaceAll('_', ' ')));
}
