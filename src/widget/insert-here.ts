import type { DeliveryVerdict } from '../core/contracts/dictation.ts';
import { type EditableField, type InsertOptions, verdictOf } from '../field/editable-field.ts';

/**
 * Puts a text where the user is in a field, or was last, else at its end, and says what became of
 * it.
 */
export async function insertHere(
  field: EditableField,
  text: string,
  options: InsertOptions = {},
): Promise<DeliveryVerdict> {
  const cursor = field.saveCursor(true);
  const outcome = await field.insert(text, cursor, options);
  cursor?.release();
  return verdictOf(outcome);
}
