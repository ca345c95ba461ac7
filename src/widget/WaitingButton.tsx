import { Inbox } from 'lucide-react';
import type { Dictation } from '../core/contracts/dictation.ts';
import { useStrings } from './strings.ts';
import type { Strings } from './strings-sv.ts';
import { countText, useWaitingCount, type WaitingCount } from './waiting-count.ts';

type WaitingButtonProps = {
  readonly dictation: Dictation;
  readonly isOpen: boolean;
  /** Opens the list, or closes it; given the button, which gets the focus back. */
  readonly onPress: (button: HTMLElement) => void;
};

/** Says that something waits, and opens the list of it. Nothing while nothing does. */
export function WaitingButton({ dictation, isOpen, onPress }: WaitingButtonProps) {
  const strings = useStrings().waiting;
  const count = useWaitingCount(dictation);
  if (count.waiting + count.doubted === 0) return null;
  return (
    <button
      type="button"
      className="tool waiting-button"
      aria-haspopup="dialog"
      aria-expanded={isOpen}
      onClick={({ currentTarget }) => onPress(currentTarget)}
    >
      <Inbox aria-hidden />
      <span className="waiting-label-short" aria-hidden>
        {count.waiting + count.doubted}
      </span>
      <span className="waiting-label-long">{buttonText(count, strings)}</span>
    </button>
  );
}

function buttonText(count: WaitingCount, strings: Strings['waiting']): string {
  if (count.doubted === 0) return strings.show(count.waiting);
  return count.waiting === 0 ? strings.showDoubted(count.doubted) : countText(count, strings);
}
