import { joinParts } from '../../src/core/queue/join-transcripts.ts';
import type { QueueItemHead, TextDoubt } from '../../src/core/queue/queue-item.ts';

/** A chunk of a session as the queue has it, its parts put together. */
export type SessionChunk = {
  readonly number: number;
  /** Null while a part of it has no text. */
  readonly text: string | null;
  /** Why its text may not be all; null if it may. */
  readonly doubt: TextDoubt | null;
  readonly ids: readonly string[];
};

/** A session's chunks in the queue. `items` are in the order of speech. */
export function sessionChunks(
  items: readonly QueueItemHead[],
  sessionId: string,
): readonly SessionChunk[] {
  const byNumber = new Map<number, QueueItemHead[]>();
  for (const item of items) {
    if (item.sessionId !== sessionId) continue;
    byNumber.set(item.number, [...(byNumber.get(item.number) ?? []), item]);
  }
  return [...byNumber].map(([number, parts]) => {
    const texts = parts.map(textIn);
    return {
      number,
      text: texts.every((text) => text !== null) ? joinParts(texts) : null,
      doubt: parts.map(doubtIn).find((doubt) => doubt !== null) ?? null,
      ids: parts.map(({ id }) => id),
    };
  });
}

/** What is doubted has been handed over already. */
function textIn({ state }: QueueItemHead): string | null {
  if (state.kind === 'doubted') return '';
  return state.kind === 'transcribed' ? state.text : null;
}

function doubtIn({ state }: QueueItemHead): TextDoubt | null {
  if (state.kind === 'doubted') return state.why;
  return state.kind === 'transcribed' ? state.doubt : null;
}
