import { ChevronDown } from 'lucide-react';
import { useCallback, useState } from 'react';
import { fetchedLater } from '../widget/fetched-later.tsx';
import type { OptionsPanelProps } from './OptionsPanel.tsx';
import { usePageStrings } from './page-strings.ts';
import { useToggled } from './use-toggled.ts';

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
