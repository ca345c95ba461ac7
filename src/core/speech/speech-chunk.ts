import type { SampleRange } from '../audio/sample-range.ts';

/** Speech that is a chunk, or will be one. */
export type OpenChunk = {
  /** Place in the session, from 0; transcripts are joined in this order. */
  readonly number: number;
  /** Where the audio lies in the session: whole segments, or parts of one that did not pause. */
  readonly ranges: readonly SampleRange[];
  /** The ranges' audio, one after the other: 16 kHz mono. */
  readonly samples: Float32Array;
  /** How many of them are in frames detected as speech, or kept without an engine. */
  readonly speechSamples: number;
};

/** Cut speech on its way to becoming text: at most `chunkMs` long. */
export type SpeechChunk = OpenChunk & {
  /** Whether the segment it ends with goes on behind it: the cut went through speech. */
  readonly endsInSpeech: boolean;
};
