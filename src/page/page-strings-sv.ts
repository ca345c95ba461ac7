import type { Translated } from '../core/translated.ts';

/** The texts that our own page begins with, in Swedish. See `page-strings.ts`. */
export const PAGE_SWEDISH = {
  appName: 'Diktera',
  fieldLabel: 'Text att diktera i',
  /** `key`: as ` (F9)`; nothing where there is no keyboard. */
  fieldPlaceholder: (key: string) => `Klicka här, tryck på Diktera${key} och tala.`,
  options: 'Alternativ',
  footLabel: 'Mikrofon och anteckning',
  footHint: 'Tryck, eller håll ned medan du talar.',
} as const;

/** The texts that the page begins with, in some language. */
export type PageStrings = Translated<typeof PAGE_SWEDISH>;
