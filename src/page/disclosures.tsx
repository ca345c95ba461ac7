import { ChevronDown, Settings2 } from 'lucide-react';
import { type ComponentProps, type RefCallback, useCallback, useState } from 'react';
import type { DictationListProps } from '../widget/DictationList.tsx';
import { Failed, fetchedLater } from '../widget/fetched-later.tsx';
import { useDictationList } from '../widget/fetched-list.ts';
import { useSnapshot } from '../widget/hooks.ts';
import { useStrings } from '../widget/strings.tsx';
import type { OptionsDialogProps } from './OptionsDialog.tsx';
import { usePageStrings } from './page-strings.ts';

/** By then the page is drawn, and there may be no network when something waits. */
const AT_HAND_AFTER_MS = 3_000;

type DictationsPartProps = DictationListProps & {
  /** The styles of the list have come. */
  readonly isStyled: boolean;
};

/**
 * The dictations: those that wait are shown, the others folded away. Until the list is there, which is
 * fetched when something may wait, when it is opened, or when the page is at rest, it is a line.
 */
export function DictationsPart({ isStyled, ...props }: DictationsPartProps) {
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
      {isStyled && List && List !== 'failed' ? (
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

const DialogLater = fetchedLater(async () => (await import('./OptionsDialog.tsx')).OptionsDialog);

/** The button for the options; these are fetched when they are about to be wanted. */
export function OptionsPart(props: Omit<OptionsDialogProps, 'isOpen' | 'onClose'>) {
  const { options: title } = usePageStrings();
  // The dialog stays once drawn, so that it is there at once the next time.
  const [isWanted, setIsWanted] = useState(false);
  const [isOpen, setIsOpen] = useState(false);
  const want = (): void => setIsWanted(true);
  const open = useCallback(() => {
    setIsWanted(true);
    setIsOpen(true);
  }, []);
  const pressedEarly = usePressedEarly(open);
  return (
    <>
      <button
        ref={pressedEarly}
        type="button"
        className="tool"
        aria-haspopup="dialog"
        onPointerEnter={want}
        onFocus={want}
        onClick={open}
      >
        <Settings2 aria-hidden />
        <span className="tool-name">{title}</span>
      </button>
      {isWanted && <DialogLater {...props} isOpen={isOpen} onClose={() => setIsOpen(false)} />}
    </>
  );
}

/** A ref for a button that may have been pressed before the page came to life: done then. */
export function usePressedEarly(press: () => void): RefCallback<HTMLElement> {
  return useCallback(
    (button: HTMLElement | null) => {
      if (button?.dataset.pressed !== undefined) press();
    },
    [press],
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
