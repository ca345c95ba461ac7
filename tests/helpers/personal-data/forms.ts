import type { PersonalDataKind } from '../../../server/text/find-in-runs.ts';
import type { Dice } from './dice.ts';
import { card, iban, landline, mobile, organisationNumber, personalNumber } from './numbers.ts';
import { inGroups, inPairs, oneByOne, readOut, type Speech, year } from './spoken.ts';

/** Makes one number or address in one of its written or spoken forms. */
export type Maker = (dice: Dice, speech: Speech) => string;

const cut = (digits: string, lengths: readonly number[], gap: string) => {
  let at = 0;
  return lengths
    .map((length) => {
      at += length;
      return digits.slice(at - length, at);
    })
    .join(gap);
};
const fours = (text: string, gap: string) => text.match(/.{1,4}/g)?.join(gap) ?? text;

function personal(dice: Dice, speech: Speech, dayOffset: number): string {
  const long = personalNumber(dice, dayOffset);
  const short = long.slice(2);
  const isOld = Number(long.slice(0, 4)) <= 1925;
  const dash = isOld ? '+' : '-';
  return dice.pick([
    () => `${short.slice(0, 6)}${dash}${short.slice(6)}`,
    () => `${short.slice(0, 6)}${dash}${short.slice(6)}`,
    () => `${long.slice(0, 8)}${dash}${long.slice(8)}`,
    () => `${long.slice(0, 8)}-${long.slice(8)}`,
    () => short,
    () => long,
    () => cut(short, [6, 4], ' '),
    () => cut(short, [6, 4], ' - '),
    () => cut(short, [6, 4], '–'),
    () => cut(long, [8, 4], ' '),
    () => cut(long, [4, 2, 2, 4], ' '),
    () => cut(long, [4, 2, 2, 4], '-'),
    () => `${cut(long.slice(0, 8), [4, 2, 2], '-')} ${long.slice(8)}`,
    () => `${cut(short.slice(0, 6), [2, 2, 2], ' ')}-${short.slice(6)}`,
    () => cut(short, [2, 2, 2, 2, 2], ' '),
    () => [...short].join(' '),
    () => [...short].join(', '),
    () => readOut(short, speech, dice),
    () => readOut(short, speech, dice),
    () => inGroups(short, [6, 4], (part) => oneByOne(part, speech)),
    () => inGroups(short, [2, 2, 2, 4], (part) => inPairs(part, speech)),
    () =>
      `${oneByOne(short.slice(0, 6), speech)} ${speech === 'sv' ? 'streck' : 'dash'} ${oneByOne(short.slice(6), speech)}`,
    () =>
      speech === 'sv'
        ? `${year(long.slice(0, 4))} ${inPairs(long.slice(4), 'sv')}`
        : readOut(long, 'en', dice),
  ])();
}

const organisation: Maker = (dice, speech) => {
  const ten = organisationNumber(dice);
  return dice.pick([
    () => cut(ten, [6, 4], '-'),
    () => cut(ten, [6, 4], '-'),
    () => cut(ten, [6, 4], '–'),
    () => cut(ten, [6, 4], ' - '),
    () => ten,
    () => cut(ten, [6, 4], ' '),
    () => `16${cut(ten, [6, 4], '-')}`,
    () => readOut(ten, speech, dice),
    () => inGroups(ten, [6, 4], (part) => oneByOne(part, speech)),
  ])();
};

const ibanOf: Maker = (dice, speech) => {
  const whole = iban(dice);
  const spell = `${[...whole.slice(0, 2)].join(' ')} ${oneByOne(whole.slice(2), speech)}`;
  return dice.pick([
    () => fours(whole, ' '),
    () => fours(whole, ' '),
    () => whole,
    () => fours(whole, '-'),
    () => whole.toLowerCase(),
    () => (whole.startsWith('SE') ? spell : fours(whole, ' ')),
  ])();
};

const cardOf: Maker = (dice, speech) => {
  const digits = card(dice);
  const groups = digits.length === 15 ? [4, 6, 5] : [4, 4, 4, 4];
  return dice.pick([
    () => cut(digits, groups, ' '),
    () => cut(digits, groups, ' '),
    () => cut(digits, groups, '-'),
    () => digits,
    () => readOut(digits, speech, dice),
    () => inGroups(digits, groups, (part) => oneByOne(part, speech)),
    () => inGroups(digits, groups, (part) => inPairs(part, speech)),
  ])();
};

const GIVEN = ['anna', 'bo', 'eva', 'karl', 'maria', 'nils', 'sara', 'johan', 'ellen', 'ali'];
const FAMILY = ['berg', 'lind', 'ek', 'holm', 'nyström', 'smith', 'dahl', 'larsson', 'vik'];
const SITES = ['example', 'firman', 'regionen', 'skolan', 'gmail', 'sjukhuset', 'kommun-test'];

const email: Maker = (dice, speech) => {
  const [given, family] = [dice.pick(GIVEN), dice.pick(FAMILY)];
  const site = dice.pick(SITES);
  const written = site.replace(' ', '');
  const end = dice.pick(['se', 'com', 'org', 'nu']);
  const [dot, at] = speech === 'sv' ? ['punkt', 'snabel-a'] : ['dot', 'at'];
  const plain = site.replace('-test', '');
  return dice.pick([
    () => `${given}.${family}@${written}.${end}`,
    () => `${given}_${family}${dice.whole(1, 99)}@${written}.${end}`,
    () => `${given}@mail.${written}.${end}`,
    () => `${given.toUpperCase()}.${family.toUpperCase()}@${written.toUpperCase()}.SE`,
    () => `${given} ${dot} ${family} ${at} ${plain} ${dot} ${end}`,
    () => `${given} ${dot} ${family} ${at} ${plain} ${dot} ${end}`,
    () => `${given}.${family} ${at} ${plain}.${end}`,
    () =>
      speech === 'sv' ? `${given} snabel a ${plain} punkt ${end}` : `${given}@${plain}.${end}`,
  ])();
};

const phone: Maker = (dice, speech) => {
  const digits = mobile(dice);
  const [area, rest] = landline(dice);
  const abroad = digits.slice(1);
  return dice.pick([
    () => `${digits.slice(0, 3)}-${cut(digits.slice(3), [3, 2, 2], ' ')}`,
    () => `${digits.slice(0, 3)}-${digits.slice(3)}`,
    () => cut(digits, [3, 3, 2, 2], ' '),
    () => cut(digits, [3, 3, 4], ' '),
    () => `${digits.slice(0, 4)}-${cut(digits.slice(4), [2, 2, 2], ' ')}`,
    () => digits,
    () => `+46${abroad}`,
    () => `+46 ${cut(abroad, [2, 3, 2, 2], ' ')}`,
    () => `+46 (0)${cut(abroad, [2, 3, 2, 2], ' ')}`,
    () => `0046${abroad}`,
    () => `${area}-${rest}`,
    () => `${area}-${cut(rest, [rest.length - 4, 2, 2], ' ')}`,
    () => `${area} ${cut(rest, [rest.length - 4, 2, 2], ' ')}`,
    () => `(${area}) ${rest}`,
    () => `${area}/${cut(rest, [rest.length - 4, 2, 2], ' ')}`,
    () => readOut(digits, speech, dice),
    () => readOut(digits, speech, dice),
    () => inGroups(digits, [3, 3, 2, 2], (part) => oneByOne(part, speech)),
    () => `${oneByOne(digits.slice(0, 3), speech)}, ${inPairs(digits.slice(3), speech)}`,
    () => oneByOne(area + rest, speech),
    () => [...digits].join(' '),
  ])();
};

/** A maker for each kind. */
export const MAKERS: Readonly<Record<PersonalDataKind, Maker>> = {
  personnummer: (dice, speech) => personal(dice, speech, 0),
  samordningsnummer: (dice, speech) => personal(dice, speech, 60),
  organisationsnummer: organisation,
  iban: ibanOf,
  kortnummer: cardOf,
  'e-post': email,
  telefonnummer: phone,
};
