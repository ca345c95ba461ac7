/** The languages Whisper's multilingual models were trained on, as ISO 639-1 where there is one. */
export const WHISPER_LANGUAGES: readonly string[] = (
  'af am ar as az ba be bg bn bo br bs ca cs cy da de el en es et eu fa fi fo fr gl gu ha haw he hi ' +
  'hr ht hu hy id is it ja jv ka kk km kn ko la lb ln lo lt lv mg mi mk ml mn mr ms mt my ne nl nn no ' +
  'oc pa pl ps pt ro ru sa sd si sk sl sn so sq sr su sv sw ta te tg th tk tl tr tt uk ur uz vi yi yo zh'
).split(' ');

/** English names as Whisper writes them, where today's name is another. */
const OLDER_NAMES: Readonly<Record<string, string>> = {
  bengali: 'bn',
  maori: 'mi',
  myanmar: 'my',
  nynorsk: 'nn',
  tagalog: 'tl',
};

const englishNames = new Intl.DisplayNames('en', { type: 'language' });
const CODES: ReadonlyMap<string, string> = new Map([
  ...Object.entries(OLDER_NAMES),
  ...WHISPER_LANGUAGES.map((code): [string, string] => [
    englishNames.of(code)?.toLowerCase() ?? code,
    code,
  ]),
  ['jw', 'jv'],
  ...WHISPER_LANGUAGES.map((code): [string, string] => [code, code]),
]);

/** The code of a language as another server names it (`Swedish`, `swedish`, `sv`), else ''. */
export function languageCodeOf(reported: unknown): string {
  return typeof reported === 'string' ? (CODES.get(reported.toLowerCase()) ?? '') : '';
}
