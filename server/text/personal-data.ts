/** A stretch of a text that says something about a person. */
export type Finding = {
  readonly start: number;
  readonly end: number;
  /** What takes its place, without the brackets. */
  readonly kind: PersonalDataKind;
};

/** The names of the placeholders, in Swedish as all that a user sees. */
export type PersonalDataKind =
  | 'personnummer'
  | 'samordningsnummer'
  | 'organisationsnummer'
  | 'iban'
  | 'kortnummer'
  | 'e-post'
  | 'telefonnummer';

/** Looks for one kind of number or address in a text; findings come in order and do not overlap. */
export type Finder = (text: string, language: string) => readonly Finding[];

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
