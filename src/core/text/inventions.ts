/**
 * Words that engines make of noise and silence: the ends of the films they learned from. Compared
 * in the form of `plainWords`.
 */

/** Never dictated: credits of subtitles, and farewells to an audience. */
const NEVER_SAID: readonly RegExp[] = [
  /\bamara org\b/,
  /\b(?:svensk ?|under)?textning nu\b/,
  /\bundertexter (?:se|nu|com)\b/,
  /\b(?:btistudios|bti studios|castingwords|zeoranger|iyuno|sdi media|opensubtitles)\b/,
  /^(?:svenska? )?(?:undertext(?:er|ning|ad|at)?|textning(?:en)?) (?:av|från|gjord av)\b/,
  /^(?:english )?(?:subtitles?|captions?|captioning|subtitling|subtitled|captioned) (?:are |provided )?by\b/,
  /^tack (?:så mycket )?(?:för|till) (?:att )?(?:du|ni|er|alla)? ?(?:som )?(?:har )?(?:tittat|tittade|tittar|tittandet|titten)(?: på \p{L}+(?: \p{L}+){0,3})?$/u,
  /^(?:(?:och )?glöm inte (?:bort )?att )?(?:gilla (?:och )?)?prenumerera(?: på (?:min |vår )?kanal(?:en)?)?$/,
  /^vi ses (?:i )?nästa (?:video|avsnitt|film)(?:en)?$/,
  /^(?:thanks|thank you)(?: (?:so|very) much| guys| everyone| all)? for watching(?: (?:this|my|the) (?:video|channel))?(?: (?:and|please|don t|see|bye|until)\b.{0,50})?$/,
  /^(?:please |and |don t forget to )*(?:like |share |comment |and |hit the )*subscribe(?: button)?(?: to (?:my|our|the) channel)?(?: for more(?: videos)?)?$/,
  /^(?:i ll |and i ll |we ll )?see you (?:guys )?in the next (?:video|one|episode)$/,
];

/** Invented, but dictated as well: the amount of speech in the audio decides. */
const SAID_AS_WELL: ReadonlySet<string> = new Set([
  ...['tack', 'tack tack', 'tack så mycket', 'tack ska du ha', 'tack för mig', 'tack för idag'],
  ...['tack för att du lyssnade', 'tack för att ni lyssnade', 'tack för att ni har lyssnat'],
  ...['tack för er uppmärksamhet', 'hej då', 'hejdå', 'vi ses', 'ha det bra', 'ja', 'jo', 'okej'],
  ...['mm', 'så', 'då så', 'musik', 'applåder', 'skratt', 'tystnad', 'slut'],
  ...['thank you', 'thank you very much', 'thank you so much', 'thanks', 'thank you bye'],
  ...['thank you for listening', 'thanks for listening', 'thank you for your attention', 'bye'],
  ...['bye bye', 'goodbye', 'see you', 'see you next time', 'see you later', 'you', 'okay', 'so'],
  ...['undertexter', 'undertextning', 'svensk text', 'god natt', 'oh', 'ah', 'mhm', 'i m sorry'],
  ...['yeah', 'uh', 'um', 'hmm', 'the end', 'music', 'applause', 'silence', 'we ll be right back'],
]);

/** A translator's credit. */
const CREDIT =
  /^\s*(?:©|copyright\b|(?:svensk )?översättning:|översatt av\b|translated by\b)[^.\n]{0,40}\.?\s*$/iu;

/** Longer texts are somebody's, whatever they say. */
const MAX_CHARACTERS = 90;

/** Never dictated, or dictated as well. */
type InventionKind = 'never-said' | 'said-as-well';

/** Looks up a whole short text, or each sentence of it. */
export function inventionKindOf(text: string): InventionKind | null {
  if (text.length > MAX_CHARACTERS) return null;
  const whole = plainWords(text);
  if (whole === '') return null;
  if (isNeverSaid(whole)) return 'never-said';
  const sentences = text.split(/[.!?…]+(?=\s|$)|\n/).map(plainWords);
  const kinds = sentences.filter((sentence) => sentence !== '').map(kindOfSentence);
  if (SAID_AS_WELL.has(whole) || CREDIT.test(text)) return 'said-as-well';
  if (kinds.includes(null)) return null;
  return kinds.includes('never-said') ? 'never-said' : 'said-as-well';
}

function kindOfSentence(words: string): InventionKind | null {
  if (isNeverSaid(words)) return 'never-said';
  return SAID_AS_WELL.has(words) ? 'said-as-well' : null;
}

const isNeverSaid = (words: string) => NEVER_SAID.some((pattern) => pattern.test(words));

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
  /^(?:musik|melodi|applåd|skratt|fniss|hosta|hostn|harkl|suck|gråt|snyft|vissl|nynna|sjung|sång|jubel|jubl|tystnad|tyst|paus|brus|sus|surr|oväsen|buller|ljud|ohörbar|otydlig|muml|mummel|viska|viskn|andas|andn|andetag|gäsp|snark|nys|skrik|ropar|klick|knack|pip|signal|ringer|ringsignal|skäll|kvitt|fotsteg|dörr|bakgrund|music|song|sing|humming|applau|clap|cheer|laugh|chuckl|giggl|cough|sigh|crying|cries|sob|sniff|whistl|silen|quiet|pause|noise|static|hiss|buzz|beep|click|knock|bell|ringing|rings|inaudible|unintelligible|indistinct|unclear|blank|sound|breath|exhal|inhal|yawn|sneez|snor|scream|shout|whisper|mumbl|chatter|crowd|footstep|bark|chirp|door|typing|background|speaking|speaks|speech|audio|video)/u;

const MAX_SOUND_WORDS = 5;

/** "BLANK_AUDIO", "skrattar", "upbeat music": what is heard and not said. */
export function isSound(inside: string): boolean {
  const words = plainWords(inside.replaceAll('_', ' ')).split(' ');
  if (words.length > MAX_SOUND_WORDS || /\d/.test(inside)) return false;
  const isAtAnEnd = SOUND_WORD.test(words[0] ?? '') || SOUND_WORD.test(words.at(-1) ?? '');
  return isAtAnEnd || PLAIN_SOUND.test(words.join(' '));
}

/** True if it is one of those that are never meant as a remark. */
export function isPlainSound(inside: string): boolean {
  return PLAIN_SOUND.test(plainWords(inside.replaceAll('_', ' ')));
}
