import { createContext, useContext } from 'react';
import { STRINGS } from './strings.ts';
import { ENGLISH } from './strings-en.ts';

/** Languages of the interface. */
export const INTERFACE_LANGUAGES = { sv: 'Svenska', en: 'English' } as const;
export type InterfaceLanguage = keyof typeof INTERFACE_LANGUAGES;

/** The same shape, with any words in it. */
type AnyWords<T> = T extends string
  ? string
  : T extends (...given: infer Given) => string
    ? (...given: Given) => string
    : { readonly [Key in keyof T]: AnyWords<T[Key]> };

/** Every word of the interface, in some language. Swedish is what the others must be complete to. */
export type Words = AnyWords<typeof STRINGS>;

/** The words in a language of the interface. */
export function wordsIn(language: InterfaceLanguage): Words {
  return language === 'en' ? ENGLISH : STRINGS;
}

/** The words below this point of the tree; Swedish unless a `WordsContext` says otherwise. */
export const WordsContext = createContext<Words>(STRINGS);

/** The interface's words in the language chosen. */
export function useWords(): Words {
  return useContext(WordsContext);
}
