/** Shorter times on a busy machine say nothing about how work grows with its input. */
export const MEASURABLE_MS = 100;
