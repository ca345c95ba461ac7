import { createContext, useContext } from 'react';
import type { InterfaceLanguage } from '../widget/options.ts';
import { PAGE_ENGLISH } from './page-strings-en.ts';
import { PAGE_SWEDISH, type PageStrings } from './page-strings-sv.ts';

/** The page's texts in a language of the interface. */
export function pageStringsIn(language: InterfaceLanguage): PageStrings {
  return language === 'en' ? PAGE_ENGLISH : PAGE_SWEDISH;
}

/** The page's texts below this point of the tree; Swedish unless told otherwise. */
export const PageStringsContext = createContext<PageStrings>(PAGE_SWEDISH);

/** The page's texts in the language chosen. */
export function usePageStrings(): PageStrings {
  return useContext(PageStringsContext);
}
