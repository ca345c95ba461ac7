import { useEffect, useState } from 'react';
import { fetchedLater } from '../widget/fetched-later.tsx';
import { useSnapshot } from '../widget/use-snapshot.ts';
import type { WaitingListProps } from '../widget/WaitingList.tsx';
import { useWaitingCount } from '../widget/waiting-count.ts';

/** By then the page is drawn, and there may be no network when something waits. */
const AT_HAND_AFTER_MS = 3_000;
/** Who speaks has been heard by then. */
const HEARD_AFTER_MS = 500;

const ListLater = fetchedLater(async () => (await import('../widget/WaitingList.tsx')).WaitingList);

/** What waits: fetched when something may, or when the page is at rest; then it stays. */
export function WaitingPart(props: WaitingListProps) {
  const { waiting, doubted } = useWaitingCount(props.dictation);
  const isRecording = useSnapshot(props.dictation, ({ session }) => session.phase === 'recording');
  const [isWanted, setIsWanted] = useState(false);
  const restMs = isRecording ? HEARD_AFTER_MS : AT_HAND_AFTER_MS;
  const delayMs = waiting + doubted > 0 ? 0 : restMs;
  useEffect(() => {
    const timer = setTimeout(() => setIsWanted(true), delayMs);
    return () => clearTimeout(timer);
  }, [delayMs]);
  return isWanted && <ListLater {...props} />;
}
