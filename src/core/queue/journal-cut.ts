/** How far a session's audio has been made safe as chunks in the queue. */
export type JournalCut = {
  /** Chunks with smaller numbers are in the queue store, or already in the user's hands. */
  readonly nextChunkNumber: number;
  /** All speech before this sample is in those chunks. */
  readonly cutUpToSample: number;
  /**
   * The cut went through speech: what follows is speech from its first sample on, whatever the
   * engine says.
   */
  readonly isInSpeech: boolean;
  /** Samples that those chunks hold, in all; not known of what an older version has cut. */
  readonly spokenSamples?: number;
};

/** A cut, and whose it is. */
export type SessionCut = JournalCut & { readonly sessionId: string };
