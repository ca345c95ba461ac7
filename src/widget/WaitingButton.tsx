import { Inbox } from 'lucide-react';
import type { Dictation } from '../core/contracts/dictation.ts';
import { countWords, useWaitingCount, type WaitingCount } from './waiting-count.ts';
import { useWords, type Words } from './words.ts';

type WaitingButtonProps = {
  readonly dictation: Dictation;
  readonly isOpen: boolean;
  /** Opens the list, or closes it; given the button, which gets the focus back. */
  readonly onPress: (button: HTMLElement) => void;
};

/** Says that something waits, and opens the list of it. Nothing while nothing does. */
export function WaitingButton({ dictation, isOpen, onPress }: WaitingButtonProps) {
  const words = useWords().waiting;
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
      <span className="waiting-words-short" aria-hidden>
        {count.waiting + count.doubted}
      </span>
      <span className="waiting-words-long">{showWords(count, words)}</span>
    </button>
  );
}

function showWords(count: WaitingCount, words: Words['waiting']): string {
  if (count.doubted === 0) return words.show(count.waiting);
  return count.waiting === 0 ? words.showDoubted(count.doubted) : countWords(count, words);
}
