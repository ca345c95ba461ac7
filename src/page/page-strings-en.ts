import type { PageStrings } from './page-strings-sv.ts';

/** Every text of our own page beside the widget's, in English. */
export const PAGE_ENGLISH: PageStrings = {
  appName: 'Diktera',
  fieldLabel: 'Text to dictate into',
  fieldPlaceholder: (key) => `Click here, press Dictate${key} and speak.`,
  options: 'Options',
  footLabel: 'Microphone and note',
  footHint: 'Press, or hold while you speak.',
};
