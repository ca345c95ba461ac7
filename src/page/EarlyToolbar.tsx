import type { SessionPhase } from '../core/session/snapshot.ts';
import { DictateButton } from '../widget/DictateButton.tsx';
import { InterfaceLanguageProvider } from '../widget/InterfaceLanguageProvider.tsx';
import type { InterfaceLanguage } from '../widget/interface-language.ts';
import { stringsIn } from '../widget/strings.ts';
import { TooltipGroup } from '../widget/Tooltip.tsx';

type EarlyToolbarProps = {
  readonly language: InterfaceLanguage;
  readonly phase: SessionPhase;
};

/**
 * The toolbar that stands in for the real one until that can be drawn; drawn by the build, for
 * `createEarlyTools`.
 */
export function EarlyToolbar({ language, phase }: EarlyToolbarProps) {
  const strings = stringsIn(language);
  const nothing = (): void => {};
  return (
    <InterfaceLanguageProvider language={language}>
      <div
        popover="manual"
        className="toolbar is-early"
        role="toolbar"
        aria-label={strings.toolbarLabel}
      >
        <TooltipGroup>
          <DictateButton phase={phase} onStart={nothing} onStop={nothing} />
        </TooltipGroup>
      </div>
    </InterfaceLanguageProvider>
  );
}
