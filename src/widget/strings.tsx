import { createContext, type ReactNode, useContext } from 'react';
import type { InterfaceLanguage } from './options.ts';
import { ENGLISH } from './strings-en.ts';
import { type Strings, SWEDISH } from './strings-sv.ts';

/** The texts in a language of the interface. */
export function stringsIn(language: InterfaceLanguage): Strings {
  return language === 'en' ? ENGLISH : SWEDISH;
}

/**
 * The texts below this point of the tree; Swedish unless an `InterfaceLanguageProvider` says
 * otherwise.
 */
const StringsContext = createContext<Strings>(SWEDISH);

/** The interface's texts in the language chosen. */
export function useStrings(): Strings {
  return useContext(StringsContext);
}

export type InterfaceLanguageProviderProps = {
  /** The language of Diktera's own texts; what is spoken may be in another. */
  readonly language: InterfaceLanguage;
  readonly children: ReactNode;
};

/** Sets the language of every field, notice and list of Diktera inside it. @default Swedish */
export function InterfaceLanguageProvider(props: InterfaceLanguageProviderProps) {
  return <StringsContext value={stringsIn(props.language)}>{props.children}</StringsContext>;
}
