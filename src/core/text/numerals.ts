import { wordSet } from './tokens.ts';

/** A word behind a number that wants the number in digits. */
export type Unit = {
  /** Its written form; null: as it was said. */
  readonly symbol: string | null;
  /** Part of a dose or a measurement: even a one in front of it becomes a digit. */
  readonly isDose: boolean;
  /** In front of the number: "$5". */
  readonly isInFront: boolean;
};

/** The number words of a language, in small letters. */
export type Numerals = {
  /** The value of one word, such as `tjugofem`; null for a word that is none. */
  valueOf(word: string): number | null;
  /** The value of an ordinal, such as `femte`. */
  ordinalOf(word: string): number | null;
  /** An ordinal in digits. */
  writeOrdinal(value: number): string;
  /** The mark in front of decimals, and how it is said. */
  readonly decimal: { readonly said: string; readonly mark: string };
  /** Said between the two values of a blood pressure. */
  readonly over: ReadonlySet<string>;
  /** Said between hundreds and what follows. */
  readonly and: string;
  /** Said between the ends of a range. */
  readonly to: ReadonlySet<string>;
  /** Said behind "per", and written behind a stroke: "mmol/l". */
  readonly measures: ReadonlyMap<string, string>;
  /** Asks for a digit. */
  readonly digit: ReadonlySet<string>;
  readonly units: ReadonlyMap<string, Unit>;
  readonly months: ReadonlySet<string>;
  /** Words that no number in front of them counts. */
  readonly uncounted: ReadonlySet<string>;
  /**
   * Words that the number of doses stands before: "femhundra två vid behov" are two of five hundred,
   * or five hundred and two.
   */
  readonly dosed: ReadonlySet<string>;
  /** Parts groups of three digits. */
  readonly separator: string;
};

function unitsOf(
  doses: Readonly<Record<string, string>>,
  asSaid: string,
  inFront: Readonly<Record<string, string>>,
): ReadonlyMap<string, Unit> {
  const rows: (readonly [string, Unit])[] = [];
  for (const [said, symbol] of Object.entries(doses)) {
    for (const word of said.split(' '))
      rows.push([word, { symbol, isDose: true, isInFront: false }]);
  }
  for (const word of asSaid.split(' ')) {
    rows.push([word, { symbol: null, isDose: false, isInFront: false }]);
  }
  for (const [said, symbol] of Object.entries(inFront)) {
    for (const word of said.split(' '))
      rows.push([word, { symbol, isDose: false, isInFront: true }]);
  }
  return new Map(rows);
}

/** Values of words, each word at the place of its value. */
function valuesOf(first: number, step: number, words: string): [string, number][] {
  return words
    .split(' ')
    .flatMap((alike, nth) =>
      alike.split('/').map((word): [string, number] => [word, first + nth * step]),
    );
}

const SV_UNITS = new Map([
  ...valuesOf(0, 1, 'noll/nolla en/ett/etta två/tvåa tre/trea fyra fem/femma sex/sexa'),
  ...valuesOf(7, 1, 'sju/sjua åtta nio/nia'),
]);
const SV_TEENS = new Map(
  valuesOf(10, 1, 'tio elva tolv tretton fjorton femton sexton sjutton arton nitton'),
);
const SV_TENS = new Map(
  valuesOf(
    20,
    10,
    'tjugo trettio/tretti fyrtio/fyrti/förti femtio/femti sextio/sexti sjuttio/sjutti åttio/åtti nittio/nitti',
  ),
);
const SV_UNDER_HUNDRED = underHundred(SV_UNITS, SV_TEENS, SV_TENS, ['']);

function underHundred(
  units: ReadonlyMap<string, number>,
  teens: ReadonlyMap<string, number>,
  tens: ReadonlyMap<string, number>,
  joints: readonly string[],
): ReadonlyMap<string, number> {
  const all = new Map([...units, ...teens, ...tens]);
  for (const [ten, value] of tens) {
    for (const [unit, digit] of units) {
      for (const joint of joints) if (digit > 0) all.set(ten + joint + unit, value + digit);
    }
  }
  return all;
}

/** Longer words are no numbers. */
const LONGEST_WORD = 60;

function swedishValue(word: string): number | null {
  if (word.length > LONGEST_WORD) return null;
  const simple = SV_UNDER_HUNDRED.get(word);
  if (simple !== undefined) return simple;
  const thousand = word.indexOf('tusen');
  if (thousand >= 0) {
    const left = thousand === 0 ? 1 : swedishValue(word.slice(0, thousand));
    const rest = word.slice(thousand + 5).replace(/^och/, '');
    const right = rest === '' ? 0 : swedishValue(rest);
    return left === null || right === null || left >= 1_000 || right >= 1_000
      ? null
      : left * 1_000 + right;
  }
  const hundred = word.indexOf('hundra');
  if (hundred < 0) return null;
  const left = hundred === 0 ? 1 : SV_UNDER_HUNDRED.get(word.slice(0, hundred));
  const rest = word.slice(hundred + 6).replace(/^och/, '');
  const right = rest === '' ? 0 : SV_UNDER_HUNDRED.get(rest);
  if (left === undefined || right === undefined || left === 0 || left > 20) return null;
  return left * 100 + right;
}

const SV_ORDINALS = new Map([
  ...valuesOf(1, 1, 'första/förste andra/andre tredje fjärde femte sjätte sjunde åttonde nionde'),
  ...valuesOf(10, 1, 'tionde elfte/elvte tolfte trettonde fjortonde femtonde sextonde sjuttonde'),
  ...valuesOf(18, 1, 'artonde nittonde'),
  ...valuesOf(
    20,
    10,
    'tjugonde trettionde fyrtionde femtionde sextionde sjuttionde åttionde nittionde',
  ),
]);

function swedishOrdinal(word: string): number | null {
  const simple = SV_ORDINALS.get(word);
  if (simple !== undefined || !/^.{5,60}[ae]$/.test(word)) return simple ?? null;
  for (const [ten, value] of SV_TENS) {
    const unit = word.startsWith(ten) ? SV_ORDINALS.get(word.slice(ten.length)) : undefined;
    if (unit !== undefined && unit < 10) return value + unit;
  }
  return null;
}

const EN_UNITS = new Map(valuesOf(0, 1, 'zero one two three four five six seven eight nine'));
const EN_TEENS = new Map(
  valuesOf(
    10,
    1,
    'ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen',
  ),
);
const EN_TENS = new Map(
  valuesOf(20, 10, 'twenty thirty forty/fourty fifty sixty seventy eighty ninety'),
);
const EN_UNDER_HUNDRED = new Map([
  ...underHundred(EN_UNITS, EN_TEENS, EN_TENS, ['-']),
  ['hundred', 100],
  ['thousand', 1_000],
]);

const EN_ORDINALS = new Map([
  ...valuesOf(1, 1, 'first second third fourth fifth sixth seventh eighth ninth tenth eleventh'),
  ...valuesOf(12, 1, 'twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth'),
  ...valuesOf(19, 1, 'nineteenth twentieth'),
  ...valuesOf(30, 10, 'thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth'),
]);

function englishOrdinal(word: string): number | null {
  const [ten = '', unit] = word.split('-', 3);
  const value = EN_TENS.get(ten);
  const digit = unit === undefined ? undefined : EN_ORDINALS.get(unit);
  if (value !== undefined && digit !== undefined && digit < 10) return value + digit;
  return EN_ORDINALS.get(word) ?? null;
}

const ENDINGS = ['th', 'st', 'nd', 'rd'];

const SWEDISH: Numerals = {
  valueOf: swedishValue,
  ordinalOf: swedishOrdinal,
  writeOrdinal: (value) =>
    `${value}:${/[12]$/.test(String(value)) && !/1[12]$/.test(String(value)) ? 'a' : 'e'}`,
  decimal: { said: 'komma', mark: ',' },
  over: wordSet('genom'),
  and: 'och',
  to: wordSet('till eller'),
  measures: new Map([
    ...['mol', 'kg', 'ml', 'dl'].map((symbol) => [symbol, symbol] as const),
    ...([
      ['liter', 'l'],
      ['milliliter', 'ml'],
      ['deciliter', 'dl'],
      ['kilo', 'kg'],
    ] as const),
  ]),
  digit: wordSet('siffra siffran'),
  units: unitsOf(
    {
      milligram: 'mg',
      mikrogram: 'µg',
      gram: 'g',
      'kilo kilogram': 'kg',
      hekto: 'hg',
      milliliter: 'ml',
      centiliter: 'cl',
      deciliter: 'dl',
      millimeter: 'mm',
      centimeter: 'cm',
      kilometer: 'km',
      millimol: 'mmol',
      mikromol: 'µmol',
      nanomol: 'nmol',
      pikomol: 'pmol',
      nanogram: 'ng',
    },
    'procent promille grader kronor öre euro dollar enheter liter meter volt watt miljoner miljarder',
    {},
  ),
  months: wordSet(
    'januari februari mars april maj juni juli augusti september oktober november december',
  ),
  uncounted: wordSet(
    'och eller men samt i på med till från av för vid hos efter före innan under när då där så som om',
    'att utan är var blir blev ska skulle kan kunde har hade får fick kommer kom går gick ringer ringde',
    'tar tog ger gav gäller börjar började slutar slutade startar äter sover åker träffas ses',
    'han hon de vi jag ni det den varje dagligen idag imorgon igår ikväll inte enligt prick',
  ),
  dosed: wordSet(
    'gång gånger plus tablett tabletter kapsel kapslar droppe droppar puff puffar inhalation',
    'inhalationer spray spruta sprutor dos doser påse påsar plåster stolpiller suppositorier ampull',
    'ampuller flaska flaskor stycken st halv halva hel hela till vid om på i och per dagligen varje var',
    'morgon kväll natt dag dagar dygn vecka veckor månad månader timme timmar minut minuter',
  ),
  separator: '\u00a0',
};

const ENGLISH: Numerals = {
  valueOf: (word) => EN_UNDER_HUNDRED.get(word) ?? null,
  ordinalOf: englishOrdinal,
  writeOrdinal: (value) =>
    `${value}${/1[123]$/.test(String(value)) ? 'th' : (ENDINGS[value % 10] ?? 'th')}`,
  decimal: { said: 'point', mark: '.' },
  over: wordSet('over'),
  and: 'and',
  to: wordSet('to or'),
  measures: new Map([
    ...(['liter', 'litre'] as const).map((word) => [word, 'l'] as const),
    ...([
      ['mole', 'mol'],
      ['milliliter', 'ml'],
      ['millilitre', 'ml'],
    ] as const),
    ...([
      ['deciliter', 'dl'],
      ['kilo', 'kg'],
      ['kilogram', 'kg'],
    ] as const),
  ]),
  digit: wordSet('digit numeral'),
  units: unitsOf(
    {
      'milligram milligrams': 'mg',
      'microgram micrograms': 'µg',
      'gram grams': 'g',
      'kilo kilos kilogram kilograms': 'kg',
      'milliliter milliliters millilitre millilitres': 'ml',
      'deciliter deciliters decilitre decilitres': 'dl',
      'millimeter millimeters millimetre millimetres': 'mm',
      'centimeter centimeters centimetre centimetres': 'cm',
      'kilometer kilometers kilometre kilometres': 'km',
      'millimole millimoles': 'mmol',
      'micromole micromoles': 'µmol',
      'nanomole nanomoles': 'nmol',
      'nanogram nanograms': 'ng',
      'milliequivalent milliequivalents': 'mEq',
    },
    "percent degrees cents units liters litres meters metres o'clock million billion",
    { 'dollar dollars': '$', 'euro euros': '€' },
  ),
  months: wordSet(
    'january february march april may june july august september october november december',
  ),
  uncounted: wordSet(
    'and or but to until when while with by at on in for as because after before he she it we they i',
    'there the a an was were is',
  ),
  dosed: wordSet(
    'time times plus tablet tablets capsule capsules drop drops puff puffs spray sprays dose doses',
    'sachet sachets patch patches suppositories ampoule ampoules bottle bottles half once twice daily',
    'nightly at in every per a as day days week weeks month months hour hours minute minutes',
  ),
  separator: ',',
};

/** By the language's code. */
export const NUMERALS: Readonly<Record<string, Numerals>> = { sv: SWEDISH, en: ENGLISH };
