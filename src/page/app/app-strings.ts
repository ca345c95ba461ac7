import type { InterfaceLanguage } from '../../widget/interface-language.ts';
import { APP_ENGLISH } from './app-strings-en.ts';
import { APP_SWEDISH, type AppStrings } from './app-strings-sv.ts';

/** The app's texts in a language of the interface. */
export function appStringsIn(language: InterfaceLanguage): AppStrings {
  return language === 'en' ? APP_ENGLISH : APP_SWEDISH;
}
