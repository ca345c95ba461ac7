import { interfaceLanguage } from './settings.ts';
import { ENGLISH } from './strings-en.ts';
import { type ExtensionStrings, SWEDISH } from './strings-sv.ts';

/** The texts in the browser's language. */
export const extensionStrings = (): ExtensionStrings =>
  interfaceLanguage() === 'sv' ? SWEDISH : ENGLISH;
