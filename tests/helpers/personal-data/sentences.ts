import type { PersonalDataKind } from '../../../server/text/find-in-runs.ts';
import { maskPersonalData } from '../../../server/text/mask-personal-data.ts';
import { seededRandom } from '../seeded-random.ts';
import {
  card,
  createDice,
  type Dice,
  iban,
  inPairs,
  MAKERS,
  oneByOne,
  organisationNumber,
  personalNumber,
  type Speech,
  year,
} from './numbers.ts';

/** The labels that people put before each thing; the frames below make sentences of them. */
export const LABELS: Readonly<
  Record<Speech, Readonly<Record<PersonalDataKind, readonly string[]>>>
> = {
  sv: {
    personnummer: ['sökandens personnummer', 'mammans pnr', 'identiteten', 'tolv siffror'],
    samordningsnummer: ['patientens samordningsnummer', 'den nyanländes nummer'],
    organisationsnummer: ['stiftelsens organisationsnummer', 'deras org.nummer', 'organisationsnr'],
    iban: ['mottagarkontot', 'IBAN-koden', 'lönekontot'],
    kortnummer: ['kreditkortet', 'de sexton siffrorna', 'mitt Mastercard'],
    'e-post': ['chefens mejl', 'e-postadressen', 'inloggningen'],
    telefonnummer: ['anhörigs telefon', 'pappas mobil', 'vårdcentralens nummer', 'reservnumret'],
  },
  en: {
    personnummer: ['the Swedish ID number', 'the personal number on file'],
    samordningsnummer: ['the temporary coordination number', 'their ID'],
    organisationsnummer: ['the Swedish organisation number', 'your organization number'],
    iban: ['the receiving account', 'an IBAN'],
    kortnummer: ['the new credit card', 'the sixteen digits'],
    'e-post': ["the manager's email", 'the contact address'],
    telefonnummer: ['the emergency phone', 'your mobile', 'the landline'],
  },
};

/** `@` is the label, `#` the thing itself. */
export const FRAMES: Readonly<Record<Speech, readonly string[]>> = {
  sv: [
    'Sätt @ till #, tack så mycket.',
    'Jag läser upp @ nu: #, har du det?',
    'Ny rad. @ # bekräftat av handläggaren.',
    '@? Jo, #!',
    'Fyll i # där det står @.',
    'Enligt blanketten: @ # (kontrollerat i dag).',
  ],
  en: [
    'Let me read @ to you: #, got it?',
    'Set @ to #, please.',
    'New line. @ # confirmed.',
    'Enter # where it says @.',
  ],
};

type Maker = (dice: Dice) => string;

const twoDigits = (value: number) => String(value).padStart(2, '0');
const date = (dice: Dice, gap: string) =>
  [dice.whole(1950, 2026), twoDigits(dice.whole(1, 12)), twoDigits(dice.whole(1, 28))].join(gap);
const clock = (dice: Dice, gap: string) =>
  `${twoDigits(dice.whole(0, 23))}${gap}${twoDigits(dice.whole(0, 59))}`;
const thousands = (dice: Dice) =>
  `${dice.whole(1, 99)} ${dice.digits(3)}${dice.pick(['', ` ${dice.digits(3)}`])}`;

/** The digits with the last one wrong. */
function spoilt(digits: string): string {
  return digits.slice(0, -1) + String((Number(digits.at(-1)) + 1) % 10);
}

/** A number of an order or an article that is no personal number. */
function orderNumber(dice: Dice): string {
  return dice.pick([
    () => `${dice.whole(1000, 9999)}-${dice.digits(6)}`,
    () => `${dice.whole(10, 99)}13${dice.digits(2)}-${dice.digits(4)}`,
    () => {
      const digits = spoilt(personalNumber(dice).slice(2));
      return `${digits.slice(0, 6)}-${digits.slice(6)}`;
    },
    () => spoilt(organisationNumber(dice)),
    () => `${dice.pick(['A', 'SO', 'PX'])}-${dice.digits(8)}`,
    () => `${dice.whole(1, 9)}${dice.digits(11)}`,
  ])();
}

/** Sixteen digits of no card. */
const noCard = (dice: Dice) =>
  spoilt(card(dice))
    .match(/.{1,4}/g)
    ?.join(' ') ?? '';
const noIban = (dice: Dice) =>
  spoilt(iban(dice))
    .match(/.{1,4}/g)
    ?.join(' ') ?? '';

/** Sentences with numbers in them that say nothing about anybody. */
export const NEGATIVES: readonly Maker[] = [
  (dice) =>
    `Remissen gäller från ${date(dice, '-')} till ${date(dice, '-')}, ${dice.whole(1, 12)} månader.`,
  (dice) => `Åren ${dice.whole(1950, 1969)}-${dice.whole(1970, 1999)} arbetade hon där.`,
  (dice) =>
    `Klockslag ${clock(dice, ':')}:${twoDigits(dice.whole(0, 59))}, puls ${dice.whole(50, 120)}, saturation ${dice.whole(88, 100)}.`,
  (dice) =>
    `Den ${dice.whole(1, 28)}/${dice.whole(1, 12)} -${twoDigits(dice.whole(0, 26))} ringde de två gånger.`,
  (dice) =>
    `Lånet på ${thousands(dice)} kr löper med ${dice.whole(1, 9)},${dice.digits(2)} procent till ${dice.whole(2027, 2050)}.`,
  (dice) => `Budget: ${thousands(dice)} kronor; utfall: ${thousands(dice)} kronor.`,
  (dice) => `Beställning nr ${orderNumber(dice)} levereras vecka ${dice.whole(1, 52)}.`,
  (dice) => `Fakturanummer ${orderNumber(dice)}, kundnummer ${dice.whole(1, 9)}${dice.digits(5)}.`,
  (dice) => `Diarienummer ${dice.whole(2015, 2026)}/${dice.digits(5)}-${dice.whole(1, 30)}.`,
  (dice) => `Maskin ${noCard(dice)} står still.`,
  (dice) => `Nyckeln ${noIban(dice)} är ogiltig.`,
  (dice) =>
    `Node ${dice.whole(18, 26)}.${dice.whole(0, 30)}.${dice.whole(0, 9)} och npm ${dice.whole(9, 12)}.${dice.whole(0, 9)}.${dice.whole(0, 9)}.`,
  (dice) => `Byggnad ${dice.whole(1, 60)}, ${dice.whole(1, 9)} trappor, sal ${dice.digits(3)}.`,
  (dice) => `Postnummer ${dice.whole(100, 984)} ${dice.digits(2)}, box ${dice.digits(4)}.`,
  (dice) => `Anknytning ${dice.digits(4)}, sökare ${dice.digits(5)}.`,
  (dice) =>
    `Tryck ${dice.whole(1, 9)} för tidbok, ${dice.whole(1, 9)} för recept, eller slå 11313.`,
  (dice) =>
    `Hemoglobin ${dice.whole(100, 170)}, vita ${dice.whole(3, 12)},${dice.digits(1)}, trombocyter ${dice.whole(150, 400)}.`,
  (dice) => `Portkoden är ${oneByOne(`${dice.whole(1, 9)}${dice.digits(4)}`, 'sv')}.`,
  () => `Hon räknade ${oneByOne('987654', 'sv')} och somnade.`,
  (dice) =>
    `Mötet är ${inPairs(String(dice.whole(10, 23)), 'sv')} noll noll ${year(String(dice.whole(2001, 2015)))}.`,
  (dice) =>
    `ISBN ${dice.pick(['978', '979'])}-${dice.whole(1, 9)}-${dice.digits(5)}-${dice.digits(3)}-${dice.digits(1)}.`,
  (dice) =>
    `Latitud ${dice.whole(55, 68)},${dice.digits(5)} och longitud ${dice.whole(11, 24)},${dice.digits(5)}.`,
  (dice) => `Request ${dice.digits(4)}-${dice.digits(4)} failed after ${dice.whole(1, 900)} ms.`,
  (dice) =>
    `Between ${clock(dice, ':')} and ${clock(dice, ':')} on ${date(dice, '-')} nothing happened.`,
  (dice) => `The fee is ${dice.whole(1, 9)},${dice.digits(3)},${dice.digits(3)} kronor.`,
  (dice) => `Invoice ${orderNumber(dice)} is overdue.`,
];

/** A sentence; words to mask are written `{kind|as said}`. */
export type LabelledSentence = { readonly text: string; readonly speech: Speech };

const KINDS = Object.keys(MAKERS) as readonly PersonalDataKind[];
const KINDS_BY_HOW_OFTEN: readonly PersonalDataKind[] = [
  ...KINDS,
  'personnummer',
  'personnummer',
  'telefonnummer',
  'telefonnummer',
];

/** `count` sentences, half of them with something to find; the same seed makes the same. */
export function makeSentences(seed: number, count: number): LabelledSentence[] {
  const dice = createDice(seededRandom(seed));
  return Array.from({ length: count }, (_, index) => {
    if (index % 2 === 1) return { text: dice.pick(NEGATIVES)(dice), speech: 'sv' };
    const speech = dice.pick(['sv', 'sv', 'sv', 'en'] as const);
    const kind = dice.pick(KINDS_BY_HOW_OFTEN);
    const label = dice.pick(LABELS[speech][kind]);
    const thing = `{${kind}|${MAKERS[kind](dice, speech)}}`;
    const text = dice
      .pick(FRAMES[speech])
      .replace('@', label)
      .replace('#', () => thing);
    return { text: text.charAt(0).toUpperCase() + text.slice(1), speech };
  });
}

/** The score of the rules on some sentences. */
export type Score = {
  /** Of the placeholders set, those that were right. */
  readonly precision: number;
  /** Of the things to find, those that were found. */
  readonly recall: number;
  /** The number of things to find. */
  readonly expected: number;
  /** Each sentence that came out wrong, with what came out. */
  readonly wrong: readonly string[];
};

/** The sentence as it is said, without the marks. */
export const said = (text: string) => text.replace(/\{[^|}]+\|([^}]*)\}/g, '$1');
/** The sentence as it comes out. */
export const wanted = (text: string) => text.replace(/\{([^|}]+)\|[^}]*\}/g, '[$1]');
const placeholders = (text: string) => text.match(/\[[a-zé-]+\]/g) ?? [];

/** Masks every sentence and counts. */
export function score(sentences: readonly LabelledSentence[]): Score {
  let [right, found, expected] = [0, 0, 0];
  const wrong: string[] = [];
  for (const { text, speech } of sentences) {
    const masked = maskPersonalData(said(text), speech);
    const isExact = masked === wanted(text);
    if (!isExact) wrong.push(`${text}\n  -> ${masked}`);
    const [inText, inWanted] = [placeholders(masked), placeholders(wanted(text))];
    // A placeholder in the wrong place is no hit.
    right += isExact
      ? inWanted.length
      : Math.max(0, Math.min(matches(inText, inWanted), inWanted.length - 1));
    found += inText.length;
    expected += inWanted.length;
  }
  return { precision: right / found, recall: right / expected, expected, wrong };
}

/** The number of `found` that are among `expected`, each counted once. */
function matches(found: readonly string[], expected: readonly string[]): number {
  const left = [...expected];
  return found.filter((one) => {
    const at = left.indexOf(one);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  }).length;
}
