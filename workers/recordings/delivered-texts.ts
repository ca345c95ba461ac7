import type { DeliveryVerdict } from '../../src/core/contracts/delivery-verdict.ts';
import type { ChunkText, HandedTexts, QueueItemHead } from '../../src/core/queue/queue-item.ts';
import { doubtOf } from '../upload/transcribe-answer.ts';

/** What the recordings get of chunks that are about to go, since their texts are in the user's hands. */
export function textsOf(
  items: readonly QueueItemHead[],
  verdict: Exclude<DeliveryVerdict, false>,
  {
    nowMs,
    startOf,
  }: { readonly nowMs: number; readonly startOf: (id: string) => HandedTexts['start'] },
): readonly HandedTexts[] {
  const bySession = new Map<string, ChunkText[]>();
  for (const item of items) {
    const text = textOf(item, verdict);
    if (text) bySession.set(item.sessionId, [...(bySession.get(item.sessionId) ?? []), text]);
  }
  return [...bySession].map(([sessionId, texts]) => {
    return { sessionId, atMs: nowMs, texts, start: startOf(sessionId) };
  });
}

function textOf(
  { number, isLive, state, speechSamples }: QueueItemHead,
  verdict: Exclude<DeliveryVerdict, false>,
): ChunkText | null {
  if (state.kind !== 'transcribed') return null;
  // A worker that died before its answer was stored left a text that only the page knows.
  const unknown = doubtOf({ text: state.text, isComplete: true }, { speechSamples });
  const doubt = state.doubt ?? (verdict === 'altered' ? 'altered' : unknown);
  const flow = isLive ? { isLive } : {};
  return { number, ...flow, text: state.text, doubt };
}
