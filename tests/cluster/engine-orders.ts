/** What the engines' process is told. */
export type EngineOrder =
  /** From now on an engine works at this share of its speed. */
  | { readonly kind: 'speed'; readonly engine: number; readonly share: number }
  /** An engine dies, with all it had; or is there again. */
  | { readonly kind: 'die'; readonly engine: number }
  | { readonly kind: 'live'; readonly engine: number }
  /** Asks for a report. */
  | { readonly kind: 'report' };

/** What it says. */
export type EngineNews =
  | { readonly kind: 'ready' }
  /** Each recording transcribed to its end, as often as it was, by its sound. */
  | { readonly kind: 'report'; readonly heard: readonly string[] };

/** How the engines are, as the process's one argument (JSON). */
export type EnginePoolShape = {
  readonly ports: readonly number[];
  /** Files an engine works on at once. */
  readonly places: number;
  /** Audio seconds a second on each place. */
  readonly audioSecondsPerSecond: number;
};
