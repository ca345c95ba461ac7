import { History } from 'lucide-react';
import type { Dictation } from '../core/contracts/dictation.ts';
import { useStrings } from './strings.ts';
import { Tooltip } from './Tooltip.tsx';
import { useSnapshot } from './use-snapshot.ts';
import { useWaitingCount } from './waiting-count.ts';

type RecentButtonProps = {
  readonly dictation: Dictation;
  readonly isOpen: boolean;
  /** Opens the list, or closes it; given the button, which gets the focus back. */
  readonly onPress: (button: HTMLElement) => void;
};

/** Opens the list of what was dictated; nothing while there is none, or what waits leads there. */
export function RecentButton({ dictation, isOpen, onPress }: RecentButtonProps) {
  const { title } = useStrings().recent;
  const hasAny = useHasRecordings(dictation);
  const { waiting, doubted } = useWaitingCount(dictation);
  if (!hasAny || waiting + doubted > 0) return null;
  return (
    <Tooltip label={title}>
      <button
        type="button"
        className="tool"
        aria-label={title}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={({ currentTarget }) => onPress(currentTarget)}
      >
        <History aria-hidden />
      </button>
    </Tooltip>
  );
}

/** Whether there are recordings, also such as can only be had back. */
export function useHasRecordings(dictation: Dictation): boolean {
  return useSnapshot(dictation, ({ recordings }) => recordings.list.length > 0);
}
