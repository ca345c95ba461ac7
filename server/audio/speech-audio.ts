/** Audio as the engines want it. */
export type SpeechAudio = {
  /** 16 kHz mono, finite, -1..1. */
  readonly samples: Float32Array;
  /**
   * False when a part of the file could not be read: cut off, or damaged in places. What could be
   * read is in `samples`.
   */
  readonly complete: boolean;
};
