import type { SessionPhase } from '../core/session/snapshot.ts';
import { DictateButton } from '../widget/DictateButton.tsx';
import { TooltipGroup } from '../widget/Tooltip.tsx';
import { type InterfaceLanguage, WordsContext, wordsIn } from '../widget/words.ts';

type EarlyToolbarProps = {
  readonly language: InterfaceLanguage;
  readonly phase: SessionPhase;
};

/**
 * The toolbar that stands in for the real one until that can be drawn; drawn by the build, for
 * `createEarlyTools`.
 */
export function EarlyToolbar({ language, phase }: EarlyToolbarProps) {
  const words = wordsIn(language);
  const nothing = (): void => {};
  return (
    <WordsContext value={words}>
      <div
        popover="manual"
        className="toolbar is-early"
        role="toolbar"
        aria-label={words.toolbarLabel}
      >
        <TooltipGroup>
          <DictateButton phase={phase} onStart={nothing} onStop={nothing} />
        </TooltipGroup>
      </div>
    </WordsContext>
  );
}
