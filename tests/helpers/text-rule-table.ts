import { tidyText } from '../../server/text/correct-spelling.ts';
import {
  findCards,
  findIbans,
  findLoneCards,
  findOrganisationNumbers,
  findPersonalNumbers,
} from '../../server/text/find-national-ids.ts';
import { findPhoneNumbers } from '../../server/text/find-phone-numbers.ts';
import { findEmails, mask } from '../../server/text/mask-personal-data.ts';
import { judgeAnswer } from '../../src/core/text/judge-answer.ts';

/** Every rule by itself. Language matters to phone numbers only, most of all English. */
export const RULES: Readonly<Record<string, (text: string) => unknown>> = {
  iban: (text) => mask(text, findIbans(text, 'en')),
  'lone card': (text) => findLoneCards(text, 'en'),
  'personal number': (text) => findPersonalNumbers(text, 'en'),
  'organisation number': (text) => findOrganisationNumbers(text, 'en'),
  card: (text) => findCards(text, 'en'),
  'e-mail': (text) => findEmails(text, 'en'),
  phone: (text) => findPhoneNumbers(text, 'en'),
  tidy: tidyText,
  judge: (text) => judgeAnswer(text, { prompt: 'email anna at firm dot com. Ja.' }),
};

/** Processor time a rule takes for a text, in ms: others on the machine hardly change that. */
export function timeOf(rule: (text: string) => unknown, text: string): number {
  const before = process.cpuUsage();
  rule(text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
