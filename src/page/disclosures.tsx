import './styles/diagnostics.css';
import { ChevronDown } from 'lucide-react';
import { type ComponentProps, useCallback, useState } from 'react';
import type { DictationListProps } from '../widget/DictationList.tsx';
import { Failed, fetchedLater, useDictationList } from '../widget/fetched-later.tsx';
import { useSnapshot } from '../widget/hooks.ts';
import { useStrings } from '../widget/strings.tsx';
import type { DiagnosticsAccountProps } from './app/DiagnosticsAccount.tsx';
import type { OptionsPanelProps } from './OptionsPanel.tsx';
import { usePageStrings } from './page-strings.ts';

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

const PanelLater = fetchedLater(async () => (await import('./OptionsPanel.tsx')).OptionsPanel);

/** The options, closed until they are wanted, fetched and drawn only then. */
export function OptionsPart(props: OptionsPanelProps) {
  const strings = usePageStrings().options;
  // The panel stays once drawn: closing it loses nothing.
  const [isWanted, setIsWanted] = useState(false);
  const want = useCallback(() => setIsWanted(true), []);
  return (
    <details className="disclosure options" {...useToggled(want)}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a summary is a button, and whoever presses it comes here first. */}
      <summary className="tool" onPointerEnter={want} onFocus={want}>
        <span>{strings.title}</span>
        <ChevronDown aria-hidden />
      </summary>
      {isWanted && <PanelLater {...props} />}
    </details>
  );
}

/** Few open this, so it comes when it is wanted. */
const AccountLater = fetchedLater(async () => (await fetchApp()).DiagnosticsAccount);

/** The account of all recorded sound, closed and not drawn until it is wanted. */
export function Diagnostics(props: DiagnosticsAccountProps) {
  const { diagnostics } = usePageStrings();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className="disclosure" {...useToggled(setIsOpen)}>
      <summary className="tool">
        <span>{diagnostics}</span>
        <ChevronDown aria-hidden />
      </summary>
      {isOpen && <AccountLater {...props} />}
    </details>
  );
}

/** Fetches the app once, when the page is at rest or somebody opens the diagnostics. */
export const fetchApp = () => import('./app/app.tsx');

/**
 * Props for a `details` that have `told` called as it is opened and closed, also where somebody
 * opened what the build drew before the page came to life: no event tells that any more.
 */
function useToggled(
  told: (isOpen: boolean) => void,
): Pick<ComponentProps<'details'>, 'ref' | 'onToggle'> {
  const ref = useCallback(
    (details: HTMLDetailsElement | null) => {
      if (details?.open) told(true);
    },
    [told],
  );
  return { ref, onToggle: (event) => told(event.currentTarget.open) };
}
