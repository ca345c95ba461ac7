/** What becomes of a text that is brought to its field. */
export type Insertion = 'in' | 'in-late' | 'refused' | 'altered' | 'throws' | 'hangs';

/** Each as often as it comes. */
export const INSERTIONS: readonly Insertion[] = [
  'in',
  'in',
  'in',
  'in-late',
  'in-late',
  'refused',
  'altered',
  'throws',
  'hangs',
];
