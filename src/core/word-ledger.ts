/**
 * Where every captured sample (16 kHz) of the sessions recorded or recovered by one worker is: each in
 * exactly one place, so the places add up to `capturedSamples`.
 */
export type WordLedger = {
  readonly capturedSamples: number;
  /** Judged silent; no segment needs it. */
  readonly silentSamples: number;
  /** In the journal, not yet in the queue. */
  readonly journalledSamples: number;
  /** Waits in the queue, parked chunks included. */
  readonly queuedSamples: number;
  /** A request is under way. */
  readonly sentSamples: number;
  /** Its text is here and not yet in the user's hands. */
  readonly transcribedSamples: number;
  /** Its text is in the user's hands. */
  readonly deliveredSamples: number;
  /** The user has thrown it away. */
  readonly deletedSamples: number;
  /** What is in none of these places: reckoned, never declared. */
  readonly lostSamples: number;
};

/** The places a sample can be in. */
export type WordLedgerPlace = Exclude<keyof WordLedger, 'capturedSamples'>;

/** Nothing captured yet. */
export const EMPTY_WORD_LEDGER: WordLedger = {
  capturedSamples: 0,
  silentSamples: 0,
  journalledSamples: 0,
  queuedSamples: 0,
  sentSamples: 0,
  transcribedSamples: 0,
  deliveredSamples: 0,
  deletedSamples: 0,
  lostSamples: 0,
};
