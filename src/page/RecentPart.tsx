import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import type { RecentDictationsProps } from '../widget/RecentDictations.tsx';
import { RecentLater } from '../widget/RecentLater.tsx';
import { useStrings } from '../widget/strings.ts';
import { useSnapshot } from '../widget/use-snapshot.ts';
import { useToggled } from './use-toggled.ts';

/** What was dictated, closed until it is wanted: others may see the screen. */
export function RecentPart(props: RecentDictationsProps) {
  const { title } = useStrings().recent;
  const count = useSnapshot(
    props.dictation,
    ({ recordings }) => recordings.list.filter(({ state }) => state.kind !== 'in-bin').length,
  );
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className="disclosure" {...useToggled(setIsOpen)}>
      <summary className="tool">
        <span>{title}</span>
        {count > 0 && <span className="waiting-count">{count}</span>}
        <ChevronDown aria-hidden />
      </summary>
      {isOpen && <RecentLater {...props} isTitleShown={false} />}
    </details>
  );
}
