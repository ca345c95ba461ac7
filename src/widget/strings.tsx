import { createContext, type ReactNode, useContext, useMemo } from 'react';
import type { InterfaceLanguage } from './options.ts';
import { type OwnStrings, withOwn } from './own-strings.ts';
import { ENGLISH } from './strings-en.ts';
import { type Strings, SWEDISH } from './strings-sv.ts';

/** The texts in a language of the interface. */
export function stringsIn(language: InterfaceLanguage): Strings {
  return language === 'en' ? ENGLISH : SWEDISH;
}

/** The language of the page, as far as there are texts in it; a server that renders has none. */
function pageLanguage(): InterfaceLanguage {
  if (typeof document === 'undefined') return 'sv';
  return /^sv\b/i.test(document.documentElement.lang || navigator.language) ? 'sv' : 'en';
}

/** The texts below this point of the tree; null where no `InterfaceLanguageProvider` says which. */
export const StringsContext = createContext<Strings | null>(null);

/** The interface's texts in the language chosen. */
export function useStrings(): Strings {
  return useContext(StringsContext) ?? stringsIn(pageLanguage());
}

export type InterfaceLanguageProviderProps = {
  /**
   * The language of Diktera's own texts; what is spoken may be in another.
   * @default that of the page (`<html lang>`), else of the browser: Swedish, or English
   */
  readonly language?: InterfaceLanguage | undefined;
  readonly children: ReactNode;
};

/** Sets the language of every field, notice and list of Diktera inside it. */
export function InterfaceLanguageProvider({ language, children }: InterfaceLanguageProviderProps) {
  return <StringsContext value={language ? stringsIn(language) : null}>{children}</StringsContext>;
}

export type StringsProviderProps = {
  /** @default Diktera's own */
  readonly strings?: OwnStrings | undefined;
  readonly children: ReactNode;
};

/** Has every field, notice and list of Diktera inside it say some things in other words. */
export function StringsProvider({ strings, children }: StringsProviderProps) {
  const texts = useStrings();
  const own = strings?.[texts.lang === 'en' ? 'en' : 'sv'];
  const all = useMemo(() => (own ? withOwn(texts, own) : texts), [texts, own]);
  return <StringsContext value={all}>{children}</StringsContext>;
}
