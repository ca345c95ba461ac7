import { isBlank } from '../core/blank-text.ts';
import { fitNewlines } from './collapse-newlines.ts';

/**
 * What goes in front of dictated text: `spec` always one space; `smart` one space, but none at the
 * start of a line, after white space or an opening mark, or before a closing mark.
 */
export type Spacing = 'spec' | 'smart';

/** The text around the place where something is inserted. */
export type Surroundings = { readonly before: string; readonly after: string };

// Quotation marks that open in one language and close in another (” » ") decide nothing.
const ENDS_OPEN = /(^|[\s([{“‘¿¡])$/u;
const STARTS_CLOSED = /^[\s.,;:!?…)\]}]/u;

/**
 * Dictated text as it goes into the field; empty when there is nothing in it but white space.
 * Newlines are collapsed as the field's rule says; a field of one line gets spaces for them.
 */
export function insertionText(
  text: string,
  around: Surroundings,
  rules: { readonly spacing: Spacing; readonly isMultiline: boolean },
): string {
  if (isBlank(text)) return '';
  const lined = rules.isMultiline ? text : onOneLine(text);
  const needsSpace =
    rules.spacing === 'spec' ||
    !(ENDS_OPEN.test(around.before.slice(-1)) || STARTS_CLOSED.test(lined));
  return fitNewlines(needsSpace ? ` ${lined}` : lined, around.before, around.after);
}

/** The text with each run of newlines, and the blanks around it, made one space. */
export function onOneLine(text: string): string {
  return text.trim().replace(/\s*[\r\n\u2028\u2029]+\s*/g, ' ');
}
