import { createContext, useContext } from 'react';
import type { InterfaceLanguage } from './interface-language.ts';
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
export const StringsContext = createContext<Strings>(SWEDISH);

/** The interface's texts in the language chosen. */
export function useStrings(): Strings {
  return useContext(StringsContext);
}
