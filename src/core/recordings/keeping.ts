import { DikteraError } from '../errors.ts';

/** How long recordings are kept once their text is in the user's hands, and how many bytes. */
export type Keeping = {
  /**
   * Hours, 0 to 720, fractions too; 0 keeps none beyond its delivery, and no silence. @default 0
   */
  readonly keepRecordings: number;
  /** Beyond so many bytes the oldest that are delivered go first. @default 200000000 */
  readonly keepRecordingsBytes: number;
};

/** None, until somebody chooses; about 13 hours of sound. */
export const DEFAULT_KEEPING: Keeping = { keepRecordings: 0, keepRecordingsBytes: 200_000_000 };

/** 30 days. */
export const MAX_KEEP_HOURS = 720;

/** More than any disk; what has no end could not be told to a worker. */
const MAX_KEEP_BYTES = 1e15;

/** What is given over what is in `base`; throws `bad-option` for what cannot be. */
export function completeKeeping(given: Partial<Keeping>, base: Keeping): Keeping {
  const upTo = (max: number, name: keyof Keeping): number => {
    const value = given[name] ?? base[name];
    if (value >= 0 && value <= max) return value;
    throw new DikteraError('bad-option', `${name} is ${value}, must be 0 to ${max}`);
  };
  return {
    keepRecordings: upTo(MAX_KEEP_HOURS, 'keepRecordings'),
    keepRecordingsBytes: upTo(MAX_KEEP_BYTES, 'keepRecordingsBytes'),
  };
}
