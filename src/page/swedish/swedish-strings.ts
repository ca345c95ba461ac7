import type { InterfaceLanguage } from '../../widget/interface-language.ts';
import { SWEDISH_PANEL_EN } from './swedish-strings-en.ts';
import { SWEDISH_PANEL_SV, type SwedishStrings } from './swedish-strings-sv.ts';

/** The panel's texts in a language of the interface. */
export function swedishStringsIn(language: InterfaceLanguage): SwedishStrings {
  return language === 'en' ? SWEDISH_PANEL_EN : SWEDISH_PANEL_SV;
}
