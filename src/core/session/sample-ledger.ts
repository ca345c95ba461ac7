/** Why samples are in none of the places where they should be. */
export type LostReason =
  /** The journal's record of them could not be read or written. */
  | 'unreadable'
  /** A worker died and was replaced when the worklet no longer had them. */
  | 'overwritten'
  /** Told as captured and found nowhere: an error of ours. */
  | 'unaccounted';

/**
 * Where every captured sample (16 kHz) of the sessions recorded or recovered by one worker is: each
 * in exactly one place, so the places add up to `capturedSamples`.
 */
export type SampleLedger = {
  readonly capturedSamples: number;
  /** Found silent; no segment needs it. */
  readonly silentSamples: number;
  /** In the journal, not yet in the queue. */
  readonly journalledSamples: number;
  /** Waits in the queue, refused chunks and those to review included. */
  readonly queuedSamples: number;
  /** A request is under way. */
  readonly sentSamples: number;
  /** The text is here and not yet in the user's hands. */
  readonly transcribedSamples: number;
  /** The text is in the user's hands. */
  readonly deliveredSamples: number;
  /** The user has thrown it away. */
  readonly deletedSamples: number;
  /** In none of these places: the sum of `lostReasons`. */
  readonly lostSamples: number;
  readonly lostReasons: Readonly<Record<LostReason, number>>;
};

/** The places a sample can be in, in the order in which it comes through them. */
export const LEDGER_PLACES = [
  'silentSamples',
  'journalledSamples',
  'queuedSamples',
  'sentSamples',
  'transcribedSamples',
  'deliveredSamples',
  'deletedSamples',
  'lostSamples',
] as const;

export type LedgerPlace = (typeof LEDGER_PLACES)[number];

/** Nothing captured yet. */
export const EMPTY_LEDGER: SampleLedger = {
  capturedSamples: 0,
  silentSamples: 0,
  journalledSamples: 0,
  queuedSamples: 0,
  sentSamples: 0,
  transcribedSamples: 0,
  deliveredSamples: 0,
  deletedSamples: 0,
  lostSamples: 0,
  lostReasons: { unreadable: 0, overwritten: 0, unaccounted: 0 },
};

/** What is in all places together: `capturedSamples`, if the account is right. */
export function samplesInPlaces(ledger: SampleLedger): number {
  return LEDGER_PLACES.reduce((sum, place) => sum + ledger[place], 0);
}
