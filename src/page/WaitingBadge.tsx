import type { Dictation } from '../core/contracts/dictation.ts';
import { countWords, useWaitingCount } from '../widget/waiting-count.ts';
import { useWords } from '../widget/words.ts';

/** Says that something waits, wherever the list itself may be; a press leads to it. */
export function WaitingBadge({ dictation }: { readonly dictation: Dictation }) {
  const words = useWords().waiting;
  const count = useWaitingCount(dictation);
  if (count.waiting + count.doubted === 0) return null;
  return (
    <a className="waiting-badge" href="#waiting-title">
      {countWords(count, words)}
    </a>
  );
}
