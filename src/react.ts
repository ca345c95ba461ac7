import { useState } from 'react';
import type { Dictation } from './core/contracts/dictation.ts';
import { type DictationSetup, pageDictation } from './create-dictation.ts';
import { createStillDictation } from './widget/still-dictation.ts';

export { DictationField } from './widget/DictationField.tsx';
export { DictationList, type DictationListProps } from './widget/DictationList.tsx';
export { useSnapshot } from './widget/hooks.ts';
export { LiveWords, type LiveWordsProps } from './widget/LiveWords.tsx';
export { Notices } from './widget/Notices.tsx';
export type {
  DictationChoices,
  DictationFieldProps,
  FieldCommands,
  FieldKind,
  FieldTextProps,
} from './widget/options.ts';
export { INTERFACE_LANGUAGES, type InterfaceLanguage } from './widget/options.ts';
export {
  InterfaceLanguageProvider,
  type InterfaceLanguageProviderProps,
} from './widget/strings.tsx';

/**
 * The page's dictation, for `DictationField`, `useSnapshot` and buttons of one's own. It is the
 * same in every component and lives as long as the page: what has not been sent yet goes on being
 * sent.
 */
export function useDictation(setup?: DictationSetup): Dictation {
  const [dictation] = useState(() =>
    // A server that renders the page has no microphone: what it draws stands still.
    typeof document === 'undefined' ? createStillDictation() : pageDictation(setup),
  );
  return dictation;
}
