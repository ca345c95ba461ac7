import type { Dice } from './dice.ts';

/** Numbers as bare digits, made up, with right check digits. */

/** The digit that makes `digits` and itself pass Luhn's check. */
export function luhnDigit(digits: string): string {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return String((10 - (sum % 10)) % 10);
}

const two = (value: number) => String(value).padStart(2, '0');

/** Twelve digits of somebody born from 1930 to 2019; a samordningsnummer's day is 60 more. */
export function personalNumber(dice: Dice, dayOffset = 0): string {
  const year = dice.whole(1930, 2019);
  const rest = `${two(dice.whole(1, 12))}${two(dice.whole(1, 28) + dayOffset)}${String(dice.whole(1, 999)).padStart(3, '0')}`;
  const nine = `${String(year).slice(2)}${rest}`;
  return `${String(year).slice(0, 2)}${nine}${luhnDigit(nine)}`;
}

/** Ten digits of a company or an association. */
export function organisationNumber(dice: Dice): string {
  const start = `${dice.pick(['55', '55', '55', '76', '80', '96', '21'])}${dice.whole(2, 9)}`;
  const nine = start + dice.digits(6);
  return nine + luhnDigit(nine);
}

/** Country and digits, without spaces. */
export function iban(dice: Dice): string {
  const [country, length] = dice.pick([
    ['SE', 20],
    ['SE', 20],
    ['SE', 20],
    ['NO', 11],
    ['DK', 14],
    ['FI', 14],
    ['DE', 18],
  ] as const);
  const account = dice.digits(length);
  const letters = [...country].map((letter) => String(letter.charCodeAt(0) - 55)).join('');
  const check = 98n - (BigInt(`${account}${letters}00`) % 97n);
  return `${country}${String(check).padStart(2, '0')}${account}`;
}

/** A card's digits: Visa, Mastercard or American Express. */
export function card(dice: Dice): string {
  const start = dice.pick(['4', '4', '51', '55', '34', '37']);
  const length = start.startsWith('3') ? 15 : 16;
  const body = start + dice.digits(length - 1 - start.length);
  return body + luhnDigit(body);
}

/** National digits of a Swedish mobile phone. */
export function mobile(dice: Dice): string {
  return `07${dice.pick(['0', '2', '3', '6', '9'])}${dice.whole(1, 9)}${dice.digits(6)}`;
}

/** A landline's area code and the rest, of exchanges that exist. */
export function landline(dice: Dice): readonly [string, string] {
  const [area, start, count] = dice.pick([
    ['08', '508', 5],
    ['08', '6', 6],
    ['031', '365', 4],
    ['040', '34', 4],
    ['046', '35', 4],
    ['018', '727', 4],
    ['0771', '', 6],
  ] as const);
  return [
    area,
    start === '' ? `${dice.whole(1, 9)}${dice.digits(count - 1)}` : start + dice.digits(count),
  ];
}
