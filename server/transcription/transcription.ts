import type { Rank } from '../scheduling/turn.ts';
import type { RuleOutcomes } from '../text/text-rules.ts';

/** One file to transcribe, with everything already validated. */
export type TranscriptionJob = {
  readonly file: Uint8Array;
  readonly removePii: boolean;
  readonly fixSpelling: boolean;
  /** One of the engine's languages; '' where it finds out by itself. */
  readonly language: string;
  readonly fast: boolean;
  /** A `preview` is for showing only: it is worked on after all finals. */
  readonly rank: Rank;
};

/** The body of a 200 answer. */
export type TranscriptionAnswer = {
  /** The words; '' when nobody speaks. */
  readonly transcription: string;
  /** The language it was asked to write or else found; '' when the engine does not tell. */
  readonly language: string;
  /** Length of the audio that was read. */
  readonly durationMs: number;
  /**
   * False when a part of the file could not be read, or the engine lost the thread: keep the audio.
   */
  readonly complete: boolean;
  readonly engine: string;
  readonly model: string;
  readonly textRules: RuleOutcomes;
};
