import { findEmails } from './find-email.ts';
import { findOrganisationNumbers, findPersonalNumbers } from './find-national-ids.ts';
import { findCards, findIbans, findLoneCards } from './find-payment-numbers.ts';
import { findPhoneNumbers } from './find-phone-numbers.ts';
import { type Finder, mask } from './personal-data.ts';

/**
 * From the strictest rule to the loosest: each sees only what the ones before it left. Long numbers
 * come first, with letters or alone, because shorter ones can be read into them.
 */
const FINDERS: readonly Finder[] = [
  findIbans,
  findLoneCards,
  findPersonalNumbers,
  findOrganisationNumbers,
  findCards,
  findEmails,
  findPhoneNumbers,
];

/**
 * The text with personal numbers, organisation numbers, IBANs, cards, e-mail addresses and phone
 * numbers replaced by placeholders such as `[personnummer]`, also where they are read out digit by
 * digit. Names and street addresses are not found: no rule knows them. `language` decides only
 * whose phone numbers are known.
 */
export function maskPersonalData(text: string, language: string): string {
  return FINDERS.reduce((masked, find) => mask(masked, find(masked, language)), text);
}
