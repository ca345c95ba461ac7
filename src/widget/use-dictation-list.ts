import { useEffect, useState } from 'react';
import type { Dictation } from '../core/contracts/dictation.ts';
import type { DictationListProps } from './DictationList.tsx';
import { type Fetched, useFetched } from './fetched-later.tsx';
import { useSnapshot } from './use-snapshot.ts';
import { useWaitingCount } from './waiting-count.ts';

/** Who speaks has been heard by then. */
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
  const { waiting, doubted } = useWaitingCount(dictation);
  const isRecording = useSnapshot(dictation, ({ session }) => session.phase === 'recording');
  const [isWanted, setIsWanted] = useState(false);
  const calmMs = isRecording ? HEARD_AFTER_MS : restMs;
  const delayMs = waiting + doubted > 0 ? 0 : calmMs;
  useEffect(() => {
    if (delayMs === null) return;
    const timer = setTimeout(() => setIsWanted(true), delayMs);
    return () => clearTimeout(timer);
  }, [delayMs]);
  return useFetched(fetchList, isWanted || isOpen ? `${isOpen}` : null);
}
