import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { fetchedLater } from '../../widget/fetched-later.tsx';
import type { InterfaceLanguage } from '../../widget/options.ts';

const PanelLater = fetchedLater(async () => (await import('./WordsPanel.tsx')).WordsPanel);

/** As in the panel's own strings, which come with it. */
const TITLES: Readonly<Record<InterfaceLanguage, string>> = {
  sv: 'Mina ord och kommandon',
  en: 'My words and commands',
};

/** Own words, snippets and commands: closed until they are wanted, and fetched only then. */
export function WordsPart({ language }: { readonly language: InterfaceLanguage }) {
  const [isWanted, setIsWanted] = useState(false);
  return (
    <details
      className="disclosure words"
      onToggle={(event) => event.currentTarget.open && setIsWanted(true)}
    >
      <summary className="tool">
        <span>{TITLES[language]}</span>
        <ChevronDown aria-hidden />
      </summary>
      {isWanted && <PanelLater language={language} />}
    </details>
  );
}
