import type { Dictation } from '../core/contracts/dictation.ts';
import { useStrings } from '../widget/strings.ts';
import { countText, useWaitingCount } from '../widget/waiting-count.ts';

/** Says that something waits, wherever the list itself may be; a press leads to it. */
export function WaitingBadge({ dictation }: { readonly dictation: Dictation }) {
  const strings = useStrings().dictations;
  const count = useWaitingCount(dictation);
  if (count.waiting + count.doubted === 0) return null;
  return (
    <a className="dictation-count waiting-badge" href="#dictations">
      {countText(count, strings)}
    </a>
  );
}
