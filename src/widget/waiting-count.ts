import type { Dictation } from '../core/contracts/dictation.ts';
import { lateItems, lateKept } from '../core/session/late-items.ts';
import type { Snapshot } from '../core/session/snapshot.ts';
import type { Strings } from './strings-sv.ts';
import { useSnapshot } from './use-snapshot.ts';

/** How many dictations are not in the user's hands, and how many are but may not be whole. */
export type WaitingCount = { readonly waiting: number; readonly doubted: number };

/** Counts them, each once. */
export function countWaiting(snapshot: Snapshot): WaitingCount {
  const late = lateItems(snapshot);
  const idsOf = (of: readonly { readonly dictationId: string }[]) =>
    new Set(of.map(({ dictationId }) => dictationId));
  const all = idsOf([...late, ...lateKept(snapshot)]);
  const waiting = idsOf([
    ...late.filter(({ state }) => state.kind !== 'doubted'),
    ...lateKept(snapshot),
  ]);
  return { waiting: waiting.size, doubted: all.size - waiting.size };
}

/** The same for a component. */
export function useWaitingCount(dictation: Dictation): WaitingCount {
  const waiting = useSnapshot(dictation, (snapshot) => countWaiting(snapshot).waiting);
  const doubted = useSnapshot(dictation, (snapshot) => countWaiting(snapshot).doubted);
  return { waiting, doubted };
}

/** What there is, in words: "2 väntar · 1 att se över". */
export function countText(
  { waiting, doubted }: WaitingCount,
  strings: Strings['dictations'],
): string {
  const said: string[] = [];
  if (waiting > 0) said.push(strings.badge(waiting));
  if (doubted > 0) said.push(strings.reviewBadge(doubted));
  return said.join(' · ');
}
