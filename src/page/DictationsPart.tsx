import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import type { DictationListProps } from '../widget/DictationList.tsx';
import { Failed, useDictationList } from '../widget/fetched-later.tsx';
import { useStrings } from '../widget/strings.ts';
import { useSnapshot } from '../widget/use-snapshot.ts';
import { useToggled } from './use-toggled.ts';

/** By then the page is drawn, and there may be no network when something waits. */
const AT_HAND_AFTER_MS = 3_000;

/**
 * The dictations: those that wait are shown, the others folded away. Until the list is there, which is
 * fetched when something may wait, when it is opened, or when the page is at rest, it is a line.
 */
export function DictationsPart(props: DictationListProps) {
  const { dictation } = props;
  const { title } = useStrings().dictations;
  const count = useSnapshot(
    dictation,
    ({ recordings }) => recordings.list.filter(({ state }) => state.kind === 'delivered').length,
  );
  const [isOpen, setIsOpen] = useState(false);
  const [hasFocus, setHasFocus] = useState(false);
  const List = useDictationList(dictation, isOpen, AT_HAND_AFTER_MS);
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
          {isOpen && List === 'failed' && <Failed />}
        </details>
      )}
    </div>
  );
}
