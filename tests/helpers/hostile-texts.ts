import { seededRandom } from './seeded-random.ts';

/** Stretches that a rule might go over again and again; each is repeated to the length wanted. */
const STRETCHES: Readonly<Record<string, string>> = {
  spaces: ' ',
  'line breaks': '\n',
  'thin spaces': '\u2009',
  'one letter': 'a',
  'one capital': 'A',
  'letters and hyphens': 'a-',
  words: 'åskådare bevittnade ',
  'unknown words': 'qvzxk wjqvab ',
  'one digit': '1',
  'digits and spaces': '1 ',
  pairs: '12 34 ',
  'zeros and ones': '0 1 ',
  'pairs after a plus': '+0 12 34 56 78 90 ',
  'digits and hyphens': '1-1-',
  'digits and brackets': '(0(1)',
  'open brackets': '(',
  'brackets and digits': ')(((12',
  plus: '+',
  'plus and digits': '+1 +46 ',
  'plus and a long number': '+46701740605123456789',
  'phone numbers': '070-174 06 05, ',
  'phone numbers with slashes': '08/1740605/',
  'American numbers': '(212) 555-0123 ',
  'personal numbers': '850709-9805 ',
  'personal numbers in a row': '8507099805 ',
  'organisation numbers': '556016-0680 ',
  cards: '4111 1111 1111 1111, ',
  'cards without an end': '4111111111111111 ',
  IBANs: 'SE45 5000 0000 0583 9825 7466, ',
  'almost IBANs': 'SE45 5000 0000 0583 9825 7467 ',
  'letters after a country': 'AB12CDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOP_ ',
  'letters in groups after a country': 'AB12 A B C D E F G H I J K_',
  countries: 'SE45 ',
  's e': 's e ',
  's e and digits': 'S E 4550000000058398257466 ',
  'digits said': 'noll sju noll ett sju fyra ',
  'tens said': 'tjugo ett trettio två ',
  'dashes said': 'ett streck ett minus ',
  'years said': 'nittonhundraåttiofem ',
  'zeros in a word': 'nollnoll',
  'at signs': '@',
  'almost addresses': `${'a'.repeat(64)}@${'b'.repeat(63)} `,
  'dots and letters': 'a.',
  'addresses without an end': 'a@a.',
  addresses: 'anna.berg@firman.se ',
  'names said': 'anna punkt ',
  'addresses said': 'anna punkt berg snabel-a firman punkt se ',
  'half an address said': 'anna snabel a ',
  'at and dot': 'email a at a dot ',
  'addresses with at': 'email anna at firm dot com ',
  at: 'a.a at a.',
  underscores: 'a_',
  sentences: 'Ja. a ',
  abbreviations: 'kl. a ',
  'full stops': '. ',
  'full stops and breaks': '.\n\n',
  commas: ' ,a',
  marks: ' ! ? ; ',
  quotes: '.”’)',
  compounds: 'åsåsåsåsåsåsåsåsåså ',
  'combining marks': 'e\u0301',
  pictures: '😀',
  'half a picture': '\ud83d',
};

/** A text that is hard on some rule. */
export type HostileText = {
  readonly name: string;
  readonly ofLength: (characters: number) => string;
};

const repeated = (stretch: string) => (characters: number) =>
  stretch.repeat(Math.ceil(characters / stretch.length)).slice(0, characters);

const GAPS: readonly (readonly [string, string, string, string])[] = [
  ['spaces between digits', '123456', ' ', '7'],
  ['spaces and a word between digits', '123456', ' ', 'x 7'],
  ['breaks and a mark between digits', '123456', '\n', '-- 7'],
  ['breaks between digits', '123456', '\n', '7'],
  ['spaces between tens and a unit', 'tjugo', ' ', 'ett'],
  ['spaces in an address said', 'anna', ' ', 'punkt'],
  ['spaces before at', 'email anna', ' ', 'at firm dot com'],
  ['spaces before a comma', 'a', ' ', ', b'],
  ['breaks after a full stop', 'a.', '\n', 'b'],
  ['letters after an at sign', 'a@', 'b', '.se'],
  ['a plus far from its number', '+', ' ', '46701740605'],
];

/** All of them: repeated stretches, long gaps, and random ones out of pieces of the others. */
export const HOSTILE_TEXTS: readonly HostileText[] = [
  ...Object.entries(STRETCHES).map(([name, stretch]) => ({ name, ofLength: repeated(stretch) })),
  ...GAPS.map(([name, before, fill, after]) => ({
    name,
    ofLength: (characters: number) => `${before}${fill.repeat(characters)}${after}`,
  })),
  ...[1, 2, 3, 4].map((seed) => ({ name: `pieces by chance ${seed}`, ofLength: byChance(seed) })),
];

function byChance(seed: number) {
  return (characters: number) => {
    const random = seededRandom(seed);
    const pieces = Object.values(STRETCHES);
    let text = '';
    while (text.length < characters) text += pieces[Math.floor(random() * pieces.length)];
    return text;
  };
}
