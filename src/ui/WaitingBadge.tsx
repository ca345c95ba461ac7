import type { Dictation } from '../core/dictation.ts';
import { lateItems, lateKept } from '../core/late-items.ts';
import { useSnapshot } from './use-snapshot.ts';
import { useWords } from './words.ts';

/** Says that something waits, wherever the list itself may be; a press leads to it. */
export function WaitingBadge({ dictation }: { readonly dictation: Dictation }) {
  const { badge } = useWords().waiting;
  const count = useSnapshot(
    dictation,
    (snapshot) =>
      new Set([...lateItems(snapshot), ...lateKept(snapshot)].map(({ sessionId }) => sessionId))
        .size,
  );
  if (count === 0) return null;
  return (
    <a className="waiting-badge" href="#waiting-title">
      {badge(count)}
    </a>
  );
}
