import type { ReactNode } from 'react';
import type { InterfaceLanguage } from './interface-language.ts';
import { StringsContext, stringsIn } from './strings.ts';

export type InterfaceLanguageProviderProps = {
  /** The language of Diktera's own texts; what is spoken may be in another. */
  readonly language: InterfaceLanguage;
  readonly children: ReactNode;
};

/** Has every field, notice and list of Diktera's inside it speak a language; else it is Swedish. */
export function InterfaceLanguageProvider(props: InterfaceLanguageProviderProps) {
  return <StringsContext value={stringsIn(props.language)}>{props.children}</StringsContext>;
}
