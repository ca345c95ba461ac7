import type { Dice } from './dice.ts';
import { card, iban, luhnDigit, organisationNumber, personalNumber } from './numbers.ts';
import type { PhraseSet } from './phrases.ts';
import { inPairs, oneByOne, year } from './spoken.ts';

type Maker = (dice: Dice) => string;

const two = (value: number) => String(value).padStart(2, '0');
const month = (dice: Dice) => dice.pick('januari mars april juni augusti november'.split(' '));
const date = (dice: Dice, gap: string) =>
  [dice.whole(1950, 2026), two(dice.whole(1, 12)), two(dice.whole(1, 28))].join(gap);
const clock = (dice: Dice, gap: string) =>
  `${two(dice.whole(0, 23))}${gap}${two(dice.whole(0, 59))}`;
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
export const NEGATIVES: Readonly<Record<PhraseSet, readonly Maker[]>> = {
  first: [
    (dice) => `Besöket flyttas till ${date(dice, '-')} klockan ${clock(dice, '.')}.`,
    (dice) => `Hon föddes ${date(dice, '-')} och flyttade ${dice.whole(1970, 2020)}.`,
    (dice) => `Den ${dice.whole(1, 28)} ${month(dice)} ${dice.whole(1980, 2026)} var det stängt.`,
    (dice) => `Tåget går ${clock(dice, ':')} och är framme ${clock(dice, ':')}.`,
    (dice) => `Kostnaden blev ${thousands(dice)} kronor, exklusive moms.`,
    (dice) => `Summan ${thousands(dice)},${dice.digits(2)} kr betalas senast ${date(dice, '-')}.`,
    (dice) => `Order ${orderNumber(dice)} är packad.`,
    (dice) => `Artikel ${orderNumber(dice)} har utgått.`,
    (dice) => `Uppdatera till version ${dice.whole(1, 20)}.${dice.whole(0, 9)}.${dice.digits(5)}.`,
    (dice) => `Serienumret ${noCard(dice)} finns inte.`,
    (dice) => `Kontrollsumman ${noIban(dice)} stämmer inte.`,
    (dice) => `Året ${year(String(dice.whole(1950, 2015)))} var bra.`,
    (dice) =>
      `Vi bor på Storgatan ${dice.whole(1, 99)}, ${dice.whole(100, 984)} ${dice.digits(2)} Ort.`,
    () => `Räkna ${oneByOne('12345', 'sv')} och börja om.`,
    (dice) =>
      `Rum ${dice.whole(100, 999)}, plan ${dice.whole(1, 9)}, anknytning ${dice.digits(4)}.`,
    (dice) => `Ring 112 eller 1177, tryck ${dice.whole(1, 9)}.`,
    (dice) => `Mellan ${dice.whole(1900, 1950)} och ${dice.whole(1951, 2020)} växte staden.`,
    (dice) =>
      `Provet visade ${dice.whole(1, 9)},${dice.digits(2)} och ${dice.whole(10, 99)},${dice.digits(1)}.`,
    (dice) => `Koden är ${oneByOne(`${dice.whole(1, 9)}${dice.digits(3)}`, 'sv')}.`,
    (dice) => `Det kom ${inPairs(dice.digits(2), 'sv')} personer av ${inPairs('65', 'sv')}.`,
    (dice) =>
      `The invoice of ${dice.whole(1, 9)},${dice.digits(3)}.${dice.digits(2)} dollars is due.`,
    (dice) =>
      `See you on ${two(dice.whole(1, 12))}/${two(dice.whole(1, 28))}/${dice.whole(2000, 2026)}.`,
    (dice) => `Order number ${orderNumber(dice)} was shipped.`,
    (dice) => `The build ${dice.whole(1, 9)}.${dice.whole(0, 20)}.${dice.digits(4)} is out.`,
    (dice) =>
      `She won ${dice.whole(15, 21)}-${dice.whole(5, 14)}, ${dice.whole(15, 21)}-${dice.whole(5, 14)}.`,
    (dice) => `It was founded in ${dice.whole(1800, 1999)} with ${dice.whole(2, 900)} members.`,
  ],
  second: [
    (dice) => `Frist till och med ${date(dice, '.')} för samtliga.`,
    (dice) => `Semester ${date(dice, '/')} till ${date(dice, '/')}.`,
    (dice) => `Journalen är från ${date(dice, '')}, tror jag.`,
    (dice) =>
      `Öppet ${clock(dice, '.')}-${clock(dice, '.')} vardagar, ${clock(dice, '')} lördagar.`,
    (dice) =>
      `Han tjänar ${dice.whole(20, 90)} ${dice.digits(3)} i månaden, alltså ${thousands(dice)} om året.`,
    (dice) => `Moms ${dice.whole(1, 9)}.${dice.digits(3)}:- tillkommer.`,
    (dice) => `Er referens ${orderNumber(dice)}, vår ${dice.digits(5)}.`,
    (dice) => `Ärendenummer ${orderNumber(dice)} är registrerat.`,
    (dice) => `Kollinummer ${dice.whole(1, 9)}${dice.digits(17)}.`,
    (dice) => `Streckkoden ${noCard(dice)} går inte att läsa.`,
    (dice) =>
      `Firmware v${dice.whole(1, 9)}.${dice.digits(2)}.${dice.digits(2)}-${dice.digits(4)} krävs.`,
    (dice) =>
      `Adressen 10.${dice.whole(0, 255)}.${dice.whole(0, 255)}.${dice.whole(1, 254)} svarar.`,
    (dice) =>
      `Matchen slutade ${dice.whole(0, 9)}-${dice.whole(0, 9)} efter ${dice.whole(0, 4)}-${dice.whole(0, 4)}.`,
    (dice) =>
      `Bankgiro ${dice.whole(100, 999)}-${dice.digits(4)}, OCR ${dice.whole(1, 9)}${dice.digits(9)}.`,
    (dice) =>
      `Position ${dice.whole(55, 68)}.${dice.digits(4)}, ${dice.whole(11, 24)}.${dice.digits(4)}.`,
    (dice) => `Pinkoden är ${oneByOne(dice.digits(4), 'sv')}, säger hon.`,
    (dice) =>
      `Klockan ${inPairs(`0${dice.whole(6, 9)}`, 'sv')} ${inPairs(String(dice.whole(10, 59)), 'sv')} avgår bussen.`,
    (dice) =>
      `Hon var ${inPairs(String(dice.whole(20, 99)), 'sv')} år ${year(String(dice.whole(1960, 2010)))}.`,
    (dice) =>
      `Dosen är ${dice.whole(1, 9)} gånger ${dice.whole(10, 500)} mg i ${dice.whole(5, 14)} dagar.`,
    (dice) =>
      `Linje ${dice.whole(1, 9)}, ${dice.whole(10, 19)} och ${dice.whole(100, 199)} stannar här.`,
    (dice) => `EAN ${dice.whole(1, 9)}${dice.digits(12)} ersätter den gamla.`,
    (dice) => `Ticket ${orderNumber(dice)} is closed.`,
    (dice) =>
      `Page ${dice.whole(10, 99)}, lines ${dice.whole(100, 499)}-${dice.whole(500, 999)}, table ${dice.whole(1, 9)}.`,
    (dice) =>
      `We paid ${dice.whole(100, 999)} ${dice.digits(3)} euros on ${dice.whole(1, 28)} May ${dice.whole(1990, 2026)}.`,
    (dice) => `Gate ${dice.whole(1, 60)}, seat ${dice.whole(1, 40)}C, flight SK${dice.digits(4)}.`,
    (dice) =>
      `Part ${dice.whole(10, 99)}-${dice.digits(4)}-${dice.digits(3)}${luhnDigit(dice.digits(3))} fits.`,
  ],
  third: [
    (dice) =>
      `Remissen gäller från ${date(dice, '-')} till ${date(dice, '-')}, ${dice.whole(1, 12)} månader.`,
    (dice) => `Åren ${dice.whole(1950, 1969)}-${dice.whole(1970, 1999)} arbetade hon där.`,
    (dice) =>
      `Klockslag ${clock(dice, ':')}:${two(dice.whole(0, 59))}, puls ${dice.whole(50, 120)}, saturation ${dice.whole(88, 100)}.`,
    (dice) =>
      `Den ${dice.whole(1, 28)}/${dice.whole(1, 12)} -${two(dice.whole(0, 26))} ringde de två gånger.`,
    (dice) =>
      `Lånet på ${thousands(dice)} kr löper med ${dice.whole(1, 9)},${dice.digits(2)} procent till ${dice.whole(2027, 2050)}.`,
    (dice) => `Budget: ${thousands(dice)} kronor; utfall: ${thousands(dice)} kronor.`,
    (dice) => `Beställning nr ${orderNumber(dice)} levereras vecka ${dice.whole(1, 52)}.`,
    (dice) =>
      `Fakturanummer ${orderNumber(dice)}, kundnummer ${dice.whole(1, 9)}${dice.digits(5)}.`,
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
  ],
};
