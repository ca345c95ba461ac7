/** What a level meter shows of a frame, or a few. */
export type LevelReading = {
  /** Loudness (RMS), dB relative to full scale. */
  readonly levelDbfs: number;
  /** Whether it was heard as speech. */
  readonly isSpeaking: boolean;
};

/** A `MessagePort` that tells readings as they come, until it is told `end`. */
export type LevelPort = {
  addEventListener(
    kind: 'message',
    listener: (event: { readonly data: LevelReading }) => void,
  ): void;
  postMessage(end: 'end'): void;
  start(): void;
  close(): void;
};
