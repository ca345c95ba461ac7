/**
 * What a task counts for. A `preview` shows words that are heard again later: it begins when nobody
 * waits for a `final`, goes on between two of its steps when nobody does, and is dropped first.
 */
export type Rank = 'final' | 'preview';

/**
 * How a task is sent: `short` is a final of little audio, which may begin where long ones of others
 * have taken all the room there is for what has begun.
 */
export type SentRank = Rank | 'short';

/** A task's place among those that run. */
export type Turn = {
  /** Whose task it is. */
  readonly client: string;
  readonly rank: Rank;
  /** Adds what was done for the client to its account, in ms of one core. */
  charge(costMs: number): void;
  /**
   * Between two steps of a task: lets a client that has had less go first, and is fulfilled when it
   * is this one's turn again. Rejects for a preview only: when it has waited too long
   * (`queue_full`), or its client has left (`client_closed`).
   */
  pause(): Promise<void>;
};
