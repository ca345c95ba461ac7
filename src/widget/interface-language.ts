/** Languages of the interface. */
export const INTERFACE_LANGUAGES = { sv: 'Svenska', en: 'English' } as const;
export type InterfaceLanguage = keyof typeof INTERFACE_LANGUAGES;
