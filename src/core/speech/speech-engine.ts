/** A runtime of the model, Silero v6.2: onnxruntime-web, or the hand-written kernel. */
export type SpeechEngineKind = 'ort' | 'kernel';

/** The runtime that is wanted; `auto` takes the best there is. */
export type EngineChoice = {
  readonly engine: SpeechEngineKind | 'auto';
};

/**
 * A loaded model with its running state. One frame at a time: the next `infer` must not be called
 * before the one before has answered, since each carries the model's state on.
 */
export type SpeechEngine = {
  readonly kind: SpeechEngineKind;
  /**
   * The probability, 0 to 1, that a frame holds speech. Takes `FRAME_SAMPLES` samples, mono float
   * at 16 kHz; it is the largest of the frame's three windows.
   */
  infer(frame: Float32Array): number | Promise<number>;
  /** Forgets the past: at the start of a session and after a gap in the samples. */
  reset(): void;
  /** Gives the memory back; the engine is dead afterwards. */
  dispose(): void | Promise<void>;
};

/**
 * A model by itself, which misses speech that follows a pause: for `createSteadyEngine`, and for
 * what measures or tests models.
 */
export type BareEngine = SpeechEngine & {
  /**
   * A second pass of the same model, with a state of its own that has heard nothing. Fetches
   * nothing. At most one of the two infers at a time. Throws `engine-failed` when there is no
   * memory for it, or the engine is a second pass itself.
   */
  twin(): SpeechEngine;
};
