import { isBlank } from '../blank-text.ts';

/**
 * A session's text: its transcripts in the order of their chunk numbers, one a line. Empty ones are
 * left out, and white space around one goes (engines that begin with a space would indent the
 * line).
 */
export function joinTranscripts(transcriptions: ReadonlyMap<number, string>): string {
  return [...transcriptions]
    .sort(([a], [b]) => a - b)
    .map(([, text]) => text.trim())
    .filter((text) => !isBlank(text))
    .join('\n');
}

/** The texts of a chunk's parts, joined by spaces; empty ones are left out. */
export function joinParts(texts: readonly string[]): string {
  return texts
    .map((text) => text.trim())
    .filter((text) => !isBlank(text))
    .join(' ');
}
