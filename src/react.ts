import { useCallback, useEffect, useRef, useState } from 'react';
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
export { Notices, type NoticesProps } from './widget/Notices.tsx';
export type { DictationChoices, FieldCommands } from './widget/options.ts';
export { INTERFACE_LANGUAGES, type InterfaceLanguage } from './widget/options.ts';
export type { OwnStrings, SomeStrings } from './widget/own-strings.ts';
export {
  InterfaceLanguageProvider,
  type InterfaceLanguageProviderProps,
  StringsProvider,
  type StringsProviderProps,
} from './widget/strings.tsx';

/**
 * The page's dictation, for `DictationField`, `useSnapshot` and buttons of one's own. It is the
 * same in every component and lives as long as the page: what has not been sent yet goes on being
 * sent. A setup that has changed is taken over while nothing is recorded. Never throws.
 */
export function useDictation(setup?: DictationSetup): Dictation {
  const latest = useLatest(setup);
  // The same function for as long as it is drawn: a new one would be asked anew.
  const headers = useCallback(async () => {
    const given = latest()?.headers;
    return (typeof given === 'function' ? await given() : given) ?? {};
  }, [latest]);
  const [dictation] = useState(() =>
    // A server that renders the page has no microphone: what it draws stands still.
    typeof document === 'undefined'
      ? createStillDictation()
      : pageDictation(setup && (setup.headers ? { ...setup, headers } : setup)),
  );
  const wanted = JSON.stringify(setup);
  /** The last setup that was applied; the first one already is, by `useState` above. */
  const taken = useRef(wanted);
  useEffect(() => {
    const given = latest();
    if (!given || wanted === taken.current) return;
    taken.current = wanted;
    pageDictation(typeof given.headers === 'function' ? { ...given, headers } : given);
  }, [wanted, latest, headers]);
  return dictation;
}
