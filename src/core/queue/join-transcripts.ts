import { isBlank } from '../blank-text.ts';
import type { QueueItemHead } from './queue-item.ts';

/**
 * How transcripts are put together: one a line, as the spec says, or running on, joined by spaces:
 * live pieces end wherever somebody took a breath.
 */
export type TextFlow = 'lines' | 'running';

/** How the texts of such chunks are put together. */
export function textFlowOf(chunks: Iterable<Pick<QueueItemHead, 'isLive'>>): TextFlow {
  for (const { isLive } of chunks) if (isLive) return 'running';
  return 'lines';
}

/**
 * A session's text: its transcripts in the order of their chunk numbers. Empty ones are left out,
 * and white space around one goes (engines that begin with a space would indent the line).
 */
export function joinTranscripts(
  transcriptions: ReadonlyMap<number, string>,
  flow: TextFlow = 'lines',
): string {
  return [...transcriptions]
    .sort(([a], [b]) => a - b)
    .map(([, text]) => text.trim())
    .filter((text) => !isBlank(text))
    .join(flow === 'running' ? ' ' : '\n');
}
