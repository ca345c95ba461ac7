/**
 * What a time-out counts. The request: from its start to the last piece of its body, as the spec's.
 * Silence: before the headers, and between two pieces of the body, so that a large file may take
 * its time on a slow network.
 */
export type TimeoutCounts = 'request' | 'silence';

export type FetchLimits = {
  readonly timeoutMs: number;
  readonly timeoutCounts: TimeoutCounts;
  /** The most the body may hold. */
  readonly maxBytes: number;
};
