import { useEffect, useState } from 'react';
import type { Dictation, DictationSetup } from './core/contracts/dictation.ts';
import { pageDictation } from './create-dictation.ts';
import { useLatest } from './widget/hooks.ts';
import { createStillDictation } from './widget/still-dictation.ts';

export {
  DictationField,
  type DictationFieldProps,
  type FieldKind,
  type FieldTextProps,
} from './widget/DictationField.tsx';
export { DictationList, type DictationListProps } from './widget/DictationList.tsx';
export { useSnapshot } from './widget/hooks.ts';
export { LiveWords, type LiveWordsProps } from './widget/LiveWords.tsx';
export { Notices } from './widget/Notices.tsx';
export type { DictationChoices, FieldCommands } from './widget/options.ts';
export { INTERFACE_LANGUAGES, type InterfaceLanguage } from './widget/options.ts';
export {
  InterfaceLanguageProvider,
  type InterfaceLanguageProviderProps,
} from './widget/strings.tsx';

/**
 * The page's dictation, for `DictationField`, `useSnapshot` and buttons of one's own. It is the
 * same in every component and lives as long as the page: what has not been sent yet goes on being
 * sent. A setup that has changed is taken over while nothing is recorded. Never throws.
 */
export function useDictation(setup?: DictationSetup): Dictation {
  const [dictation] = useState(() =>
    // A server that renders the page has no microphone: what it draws stands still.
    typeof document === 'undefined' ? createStillDictation() : pageDictation(setup),
  );
  const latest = useLatest(setup);
  const wanted = JSON.stringify(setup);
  useEffect(() => {
    if (wanted !== undefined) pageDictation(latest());
  }, [wanted, latest]);
  return dictation;
}
