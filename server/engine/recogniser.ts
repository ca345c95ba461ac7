/** The words of one utterance in `language`, '' for none. */
export type Recognise = (utterance: Float32Array, language: string) => Promise<string>;

/** The process is gone, and what it had under way with it. */
export class EngineEnded extends Error {
  override readonly name: string = 'EngineEnded';
}

/** A recogniser that can end by itself. */
export type RunningRecogniser = {
  /** Of the system, where it is a process that could be started. */
  readonly id?: number | undefined;
  /** Fulfilled when it can be asked; rejects with ModelUnloadable, or when it ends before. */
  readonly ready: Promise<void>;
  /** Rejects when the recogniser fails, and with EngineEnded when it ends. */
  readonly recognise: Recognise;
  /** Fulfilled with the reason when it has ended. */
  readonly ended: Promise<EngineEnded>;
  /** Ends it, whatever it does. */
  end(): void;
};
