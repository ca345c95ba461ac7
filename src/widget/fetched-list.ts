import { useEffect, useState } from 'react';
import type { Dictation } from '../core/contracts/dictation.ts';
import { isForReview } from '../core/queue/queue-item.ts';
import type { Snapshot } from '../core/session/snapshot.ts';
import { lateItems, lateKept } from '../core/session/text-state.ts';
import type { DictationListProps } from './DictationList.tsx';
import { type Fetched, useFetched } from './fetched-later.tsx';
import { useSnapshot } from './hooks.ts';
import type { Strings } from './strings-sv.ts';

/** The first frames have been judged by then. */
const HEARD_AFTER_MS = 500;

const fetchList = async () => (await import('./DictationList.tsx')).DictationList;

/**
 * `DictationList`, its script fetched when it is opened, when something may wait, when somebody has
 * begun to speak (there may be no network when something waits) or after `restMs`; null before.
 */
export function useDictationList(
  dictation: Dictation,
  isOpen: boolean,
  restMs: number | null,
): Fetched<DictationListProps> {
  const { waiting, needsReview } = useWaitingCount(dictation);
  const isRecording = useSnapshot(dictation, ({ session }) => session.phase === 'recording');
  const [isWanted, setIsWanted] = useState(false);
  const calmMs = isRecording ? HEARD_AFTER_MS : restMs;
  const delayMs = waiting + needsReview > 0 ? 0 : calmMs;
  useEffect(() => {
    if (delayMs === null) return;
    const timer = setTimeout(() => setIsWanted(true), delayMs);
    return () => clearTimeout(timer);
  }, [delayMs]);
  return useFetched(fetchList, isWanted || isOpen);
}

/** Counts of dictations that are not delivered, and of delivered ones that need review. */
export type WaitingCount = { readonly waiting: number; readonly needsReview: number };

/** Counts them, each once. */
function countWaiting(snapshot: Snapshot): WaitingCount {
  const late = lateItems(snapshot);
  const idsOf = (of: readonly { readonly dictationId: string }[]) =>
    new Set(of.map(({ dictationId }) => dictationId));
  const all = idsOf([...late, ...lateKept(snapshot)]);
  const waiting = idsOf([
    ...late.filter(({ state }) => !isForReview(state)),
    ...lateKept(snapshot),
  ]);
  return { waiting: waiting.size, needsReview: all.size - waiting.size };
}

export function useWaitingCount(dictation: Dictation): WaitingCount {
  const waiting = useSnapshot(dictation, (snapshot) => countWaiting(snapshot).waiting);
  const needsReview = useSnapshot(dictation, (snapshot) => countWaiting(snapshot).needsReview);
  return { waiting, needsReview };
}

/** The counts in words: "2 väntar · 1 att granska". */
export function countText(
  { waiting, needsReview }: WaitingCount,
  strings: Strings['dictations'],
): string {
  const said: string[] = [];
  if (waiting > 0) said.push(strings.badge(waiting));
  if (needsReview > 0) said.push(strings.reviewBadge(needsReview));
  return said.join(' · ');
}
