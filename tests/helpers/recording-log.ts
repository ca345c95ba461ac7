import type { Logger } from '../../src/core/logger.ts';

/** A logger that keeps its lines: level, message, details. */
export type RecordingLog = Logger & {
  readonly lines: readonly (readonly unknown[])[];
};

/** An empty log. */
export function createRecordingLog(): RecordingLog {
  const lines: (readonly unknown[])[] = [];
  return {
    lines,
    error: (...line) => lines.push(['error', ...line]),
    warn: (...line) => lines.push(['warn', ...line]),
    info: (...line) => lines.push(['info', ...line]),
  };
}
