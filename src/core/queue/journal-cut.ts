import type { SampleRange } from '../audio/sample-range.ts';

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
  /**
   * The journal could not be read, so no cut is known: only that these ranges are in the chunk, and
   * no recovery is to make another of them.
   */
  readonly taken?: readonly SampleRange[];
};

/** A cut, and whose it is. */
export type DictationCut = JournalCut & { readonly dictationId: string };
