import { createContext, useContext } from 'react';
import { STRINGS } from './strings.ts';
import { ENGLISH } from './strings-en.ts';
import type { Words } from './words-shape.ts';

export type { Words } from './words-shape.ts';

/** Languages of the interface. */
export const INTERFACE_LANGUAGES = { sv: 'Svenska', en: 'English' } as const;
export type InterfaceLanguage = keyof typeof INTERFACE_LANGUAGES;

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
