/** Where in a sound a word was heard. */
export type WordTime = {
  readonly startMs: number;
  readonly endMs: number;
  /** 0 to 1, where the engine tells it: that of the least certain of its tokens. */
  readonly certainty?: number;
};
