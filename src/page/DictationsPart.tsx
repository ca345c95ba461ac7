import { ChevronDown } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { DictationListProps } from '../widget/DictationList.tsx';
import { NotFetched, useFetched } from '../widget/fetched-later.tsx';
import { useStrings } from '../widget/strings.ts';
import { useSnapshot } from '../widget/use-snapshot.ts';
import { useWaitingCount } from '../widget/waiting-count.ts';
import { useToggled } from './use-toggled.ts';

/** By then the page is drawn, and there may be no network when something waits. */
const AT_HAND_AFTER_MS = 3_000;
/** Who speaks has been heard by then. */
const HEARD_AFTER_MS = 500;

const fetchList = async () => (await import('../widget/DictationList.tsx')).DictationList;

/**
 * The dictations: those that wait are shown, the others folded away. Until the list is there, which is
 * fetched when something may wait, when it is opened, or when the page is at rest, it is a line.
 */
export function DictationsPart(props: DictationListProps) {
  const { dictation } = props;
  const { title } = useStrings().dictations;
  const { waiting, doubted } = useWaitingCount(dictation);
  const isRecording = useSnapshot(dictation, ({ session }) => session.phase === 'recording');
  const count = useSnapshot(
    dictation,
    ({ recordings }) => recordings.list.filter(({ state }) => state.kind === 'delivered').length,
  );
  const [isWanted, setIsWanted] = useState(false);
  const [isOpen, setIsOpen] = useState(false);
  const [hasFocus, setHasFocus] = useState(false);
  const restMs = isRecording ? HEARD_AFTER_MS : AT_HAND_AFTER_MS;
  const delayMs = waiting + doubted > 0 ? 0 : restMs;
  useEffect(() => {
    const timer = setTimeout(() => setIsWanted(true), delayMs);
    return () => clearTimeout(timer);
  }, [delayMs]);
  const List = useFetched(fetchList, isWanted || isOpen ? `${isOpen}` : null);
  const toggled = useToggled(setIsOpen);
  return (
    <div id="dictations">
      {List && List !== 'failed' ? (
        <List {...props} folds={isOpen ? 'open' : true} takesFocus={hasFocus} />
      ) : (
        <details className="disclosure" {...toggled}>
          {/* biome-ignore lint/a11y/noStaticElementInteractions: a summary can have the focus. */}
          <summary
            className="tool"
            onFocus={() => setHasFocus(true)}
            onBlur={() => setHasFocus(false)}
          >
            <span>{title}</span>
            {count > 0 && <span className="dictation-count">{count}</span>}
            <ChevronDown aria-hidden />
          </summary>
          {isOpen && List === 'failed' && <NotFetched />}
        </details>
      )}
    </div>
  );
}
