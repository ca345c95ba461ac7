import validator from 'validator';
import type { Finder, Finding } from './find-in-runs.ts';
import {
  findCards,
  findIbans,
  findLoneCards,
  findOrganisationNumbers,
  findPersonalNumbers,
} from './find-national-ids.ts';
import { findPhoneNumbers } from './find-phone-numbers.ts';

/** A dash or a full stop in front is a list's or a sentence's, and so is a capital behind the end. */
const WRITTEN =
  /[\p{L}\p{N}][\p{L}\p{N}._%+-]{0,63}@(?:[\p{L}\p{N}-]{1,63}\.){1,5}(?:\p{Lu}{2,24}|\p{Lu}?[^\P{L}\p{Lu}]{1,24})(?!\p{L})/gu;

const NAME = '[\\p{L}\\p{N}_-]{1,40}';
/** Behind a full stop and a space a capital begins a sentence, and no part of an address. */
const DOT = '(?:\\s?\\.(?:\\s(?=[^\\P{L}\\p{Lu}]))?|\\s+(?:[Pp]unkt|[Dd]ot)\\s+)';

/** "anna punkt berg snabel-a firman punkt se": nobody says snabel-a of anything else. */
const SPOKEN = new RegExp(
  `(?<![\\p{L}\\p{N}])${NAME}(?:${DOT}${NAME}){0,3}\\s+(?:[Ss]nabel(?:-|\\s)?a)\\s+${NAME}(?:${DOT}${NAME}){1,3}`,
  'gu',
);

/** English "at" is a plain word: the top-level domain must be spoken and the address announced. */
const SPOKEN_AT = new RegExp(
  `(?<![\\p{L}\\p{N}])${NAME}(?:\\s+dot\\s+${NAME}){0,3}\\s+at\\s+${NAME}(?:\\s+dot\\s+${NAME}){0,2}\\s+dot\\s+(?:com|org|net|se|nu|io|eu|edu|gov|co|uk|no|dk|fi|de)(?![\\p{L}\\p{N}])`,
  'giu',
);
/** "anna.berg at firman.se": an engine that writes the dots and not the sign. */
const HALF_WRITTEN = new RegExp(
  `(?<![\\p{L}\\p{N}])${NAME}(?:\\.${NAME}){0,3}\\s+at\\s+${NAME}(?:\\.${NAME}){0,2}\\.\\p{L}{2,6}(?![\\p{L}\\p{N}])`,
  'giu',
);
const ANNOUNCED = /(?:e-?mail|mail|address|contact|write to|reach)/i;
const CONTEXT_CHARACTERS = 60;

/** E-mail addresses, written and read out. */
export const findEmails: Finder = (text) => {
  const findings: Finding[] = [];
  for (const match of text.matchAll(WRITTEN)) {
    // "se.Ring": the next sentence, with no space in front.
    const address = match[0].replace(/(\.\p{Ll}+)\.\p{Lu}\p{Ll}+$/u, '$1');
    if (!validator.isEmail(address, { allow_utf8_local_part: true })) continue;
    findings.push({ start: match.index, end: match.index + address.length, kind: 'e-post' });
  }
  for (const match of text.matchAll(SPOKEN)) findings.push(of(match));
  for (const match of text.matchAll(SPOKEN_AT)) {
    const before = text.slice(Math.max(0, match.index - CONTEXT_CHARACTERS), match.index);
    if (/\sdot\s.*\sat\s/i.test(match[0]) || ANNOUNCED.test(before)) findings.push(of(match));
  }
  for (const match of text.matchAll(HALF_WRITTEN)) {
    const before = text.slice(Math.max(0, match.index - CONTEXT_CHARACTERS), match.index);
    if (ANNOUNCED.test(before)) findings.push(of(match));
  }
  return findings
    .sort((a, b) => a.start - b.start)
    .filter((finding, index, all) => index === 0 || finding.start >= (all[index - 1]?.end ?? 0));
};

function of(match: RegExpExecArray): Finding {
  return { start: match.index, end: match.index + match[0].length, kind: 'e-post' };
}

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

/** Puts a placeholder such as `[personnummer]` in place of each finding. */
export function mask(text: string, findings: readonly Finding[]): string {
  let masked = '';
  let at = 0;
  for (const { start, end, kind } of findings) {
    masked += `${text.slice(at, start)}[${kind}]`;
    at = end;
  }
  return masked + text.slice(at);
}
