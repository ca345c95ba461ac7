/** What takes less than this on a busy machine tells nothing of how work grows with its input. */
export const MEASURABLE_MS = 100;
