import type { DeliveryVerdict } from '../core/contracts/dictation.ts';
import type { InsertOutcome } from './editable-field.ts';

/** What became of a text, as who hands it over wants to know it. */
export function verdictOf({ kind }: InsertOutcome): DeliveryVerdict {
  if (kind === 'altered') return 'altered';
  // There was no text: nothing is kept of it.
  return kind === 'inserted' || kind === 'empty';
}

/**
 * Whether the same insertion may succeed later, with nothing done about it but what is going on
 * anyway.
 */
export function mayComeLater({ kind }: InsertOutcome): boolean {
  return kind === 'deferred' || kind === 'not-editable';
}
