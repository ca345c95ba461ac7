import { useEffect, useState } from 'react';
import { fetchedLater } from '../widget/fetched-later.tsx';
import type { WaitingListProps } from '../widget/WaitingList.tsx';
import { useWaitingCount } from '../widget/waiting-count.ts';

/** By then the page is drawn, and there may be no network when something waits. */
const AT_HAND_AFTER_MS = 3_000;

const ListLater = fetchedLater(async () => (await import('../widget/WaitingList.tsx')).WaitingList);

/** What waits: fetched when something does, or when the page is at rest; then it stays. */
export function WaitingPart(props: WaitingListProps) {
  const { waiting, doubted } = useWaitingCount(props.dictation);
  const [isWanted, setIsWanted] = useState(false);
  const delayMs = waiting + doubted > 0 ? 0 : AT_HAND_AFTER_MS;
  useEffect(() => {
    const timer = setTimeout(() => setIsWanted(true), delayMs);
    return () => clearTimeout(timer);
  }, [delayMs]);
  return isWanted && <ListLater {...props} />;
}
