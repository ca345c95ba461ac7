import type { QueueItemHead, TextDoubt } from '../../src/core/queue/queue-item.ts';

/** A chunk of a session as the queue has it. */
export type SessionChunk = {
  readonly number: number;
  /** Null while it has none. */
  readonly text: string | null;
  /** Why its text may not be all; null if it may. */
  readonly doubt: TextDoubt | null;
  readonly id: string;
};

/** A session's chunks in the queue. `items` are in the order of speech. */
export function sessionChunks(
  items: readonly QueueItemHead[],
  dictationId: string,
): readonly SessionChunk[] {
  return items
    .filter((item) => item.dictationId === dictationId)
    .map((item) => ({
      number: item.number,
      text: textIn(item),
      doubt: doubtIn(item),
      id: item.id,
    }));
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
